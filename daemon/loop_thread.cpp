// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/loop_thread.hpp"

#include "fivebar_control/daemon/last_resort.hpp"

namespace fivebar_control
{

LoopThread::LoopThread(RunRequests & requests, std::function<void()> work) : requests_(requests)
{
  thread_ = std::thread([this, work = std::move(work)] {
    try
    {
      const AlternateStack stack;
      work();
    }
    catch (...)
    {
      failure_ = std::current_exception();
    }
  });
}

LoopThread::~LoopThread()
{
  if (thread_.joinable())
  {
    requests_.interrupts.fetch_add(2);
    thread_.join();
  }
}

void LoopThread::join()
{
  thread_.join();
  if (failure_)
  {
    std::rethrow_exception(failure_);
  }
}

}  // namespace fivebar_control
