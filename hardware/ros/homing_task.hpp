// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "fivebar_control/hardware/motor_hardware.hpp"

namespace fivebar_control
{

/// Homes the motors and arms them, in a thread of its own: it takes seconds, and a transition of a
/// ros2_control component that takes seconds holds up its whole manager, also the request to stop.
/// While it runs, the hardware is the task's alone.
class HomingTask
{
public:
  HomingTask() = default;
  HomingTask(const HomingTask &) = delete;
  HomingTask & operator=(const HomingTask &) = delete;
  ~HomingTask() { stop(); }

  /// `stop_wanted` is asked in every cycle of the search, besides stop().
  void start(MotorHardware & hardware, std::function<bool()> stop_wanted);
  bool is_running() const noexcept { return running_.load(std::memory_order_acquire); }
  /// Returns when the thread is over; a search was ended with zero volts then.
  void stop() noexcept;

  // Once it is no longer running.
  HardwareError error() const noexcept { return error_; }
  /// "home" or "arm": what the error belongs to.
  const char * step() const noexcept { return step_; }

private:
  std::thread thread_;
  std::atomic<bool> running_{false};
  std::atomic<bool> stopped_{false};
  HardwareError error_ = HardwareError::none;
  const char * step_ = "home";
};

}  // namespace fivebar_control
