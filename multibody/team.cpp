// SPDX-License-Identifier: Apache-2.0
#include "team.hpp"

namespace fivebar_control::multibody
{
namespace
{

constexpr int patience = 40000;  ///< looks, some hundred microseconds, before a thread sleeps

/// A pause takes as long as the way of a word from one core to another: not at every look.
void relax(int look)
{
#if defined(__x86_64__) || defined(__i386__)
  if (look % 16 == 15)
  {
    __builtin_ia32_pause();
  }
#else
  (void)look;
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

void Team::begin(Call call, const void * work)
{
  call_ = call;
  work_ = work;
  due_ += static_cast<std::uint32_t>(threads_.size());
  ++round_;
  round_.notify_all();
}

void Team::wait()
{
  for (int i = 0; finished_ != due_; ++i)
  {
    if (i < patience)
    {
      relax(i);
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
      relax(i);
    }
    if (round_ == seen)
    {
      round_.wait(seen);  // not without need: it makes the caller call the kernel
    }
    seen = round_;
    if (stopping_)
    {
      return;
    }
    call_(work_, number);
    ++finished_;
  }
}

}  // namespace fivebar_control::multibody
