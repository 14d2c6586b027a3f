// SPDX-License-Identifier: Apache-2.0
#include "team.hpp"

namespace fivebar_control::multibody
{
namespace
{

constexpr int patience = 4000;  ///< looks, some hundred microseconds, before a thread sleeps

void relax()
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Team::Team(int threads)
{
  for (int i = 1; i < threads; ++i)
  {
    threads_.emplace_back([this, i] { serve(i); });
  }
}

Team::~Team()
{
  stopping_ = true;
  ++round_;
  round_.notify_all();
  for (std::thread & thread : threads_)
  {
    thread.join();
  }
}

void Team::run(const std::function<void(int)> & work)
{
  work_ = &work;
  busy_ = static_cast<int>(threads_.size());
  ++round_;
  round_.notify_all();
  work(0);
  for (int i = 0; busy_ > 0; ++i)
  {
    if (i < patience)
    {
      relax();
    }
    else
    {
      std::this_thread::yield();
    }
  }
}

void Team::serve(int number)
{
  std::uint32_t seen = 0;
  while (true)
  {
    for (int i = 0; i < patience && round_ == seen; ++i)
    {
      relax();
    }
    round_.wait(seen);
    seen = round_;
    if (stopping_)
    {
      return;
    }
    (*work_)(number);
    --busy_;
  }
}

}  // namespace fivebar_control::multibody
