// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <thread>

#include "fivebar_control/daemon/run_loop.hpp"

namespace fivebar_control
{

/// The thread of the control loop. However its owner is left, the loop is told to take the volts
/// off the motors and waited for. It is also the one thread that signals are delivered to, so that
/// their handling does not wait for a thread without priority.
class LoopThread
{
public:
  LoopThread(RunRequests & requests, std::function<void()> work);
  ~LoopThread();
  LoopThread(const LoopThread &) = delete;
  LoopThread & operator=(const LoopThread &) = delete;

  /// Waits for its end; throws what the work threw.
  void join();

private:
  RunRequests & requests_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace fivebar_control
