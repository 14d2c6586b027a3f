// SPDX-License-Identifier: Apache-2.0
#include "run_parts.hpp"

namespace fivebar_control
{

void show(RunStatus & status, const CycleRecord & record, std::int64_t late_cycles)
{
  constexpr auto relaxed = std::memory_order_relaxed;
  status.time.store(static_cast<double>(record.time_ns) * 1e-9, relaxed);
  status.error.store(joint_error(record).cwiseAbs().maxCoeff(), relaxed);
  status.volts[0].store(record.volts[0], relaxed);
  status.volts[1].store(record.volts[1], relaxed);
  status.late_cycles.store(late_cycles, relaxed);
  status.state.store(record.state, relaxed);
}

HardwareError open_and_home(
  OpenHardware & open, MotorHardware & hardware, const RunRequests & requests, RunStatus & status,
  HomingRecorder & homing)
{
  HardwareError error = open.open();
  if (error == HardwareError::none)
  {
    status.homing.store(true, std::memory_order_relaxed);
    error = hardware.home(
      {[&requests] { return requests.interrupts.load(std::memory_order_relaxed) > 0; },
       [&homing](const HomingCycle & cycle) { homing.take(cycle); }});
    status.homing.store(false, std::memory_order_relaxed);
  }
  return error;
}

bool concerns_encoders(Reason reason)
{
  return reason == Reason::encoder_jump || reason == Reason::encoder_not_finite ||
         reason == Reason::encoder_frozen;
}

}  // namespace fivebar_control
