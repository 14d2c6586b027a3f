// SPDX-License-Identifier: Apache-2.0
#include "homing_task.hpp"

#include <utility>

namespace fivebar_control
{

void HomingTask::start(MotorHardware & hardware, std::function<bool()> stop_wanted)
{
  stop();
  stopped_ = false;
  running_ = true;
  thread_ = std::thread([this, &hardware, stop_wanted = std::move(stop_wanted)] {
    step_ = "home";
    try
    {
      error_ = hardware.home({[&] { return stopped_.load() || stop_wanted(); }});
      if (error_ == HardwareError::none && !stopped_)
      {
        step_ = "arm";
        error_ = hardware.arm();
      }
    }
    catch (...)
    {
      hardware.disarm();
      error_ = HardwareError::interrupted;
    }
    running_.store(false, std::memory_order_release);
  });
}

void HomingTask::stop() noexcept
{
  stopped_ = true;
  if (thread_.joinable())
  {
    thread_.join();
  }
}

}  // namespace fivebar_control
