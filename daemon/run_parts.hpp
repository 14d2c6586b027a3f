// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "fivebar_control/daemon/run_loop.hpp"

// What a run has before and after its cycles, whoever closes the loop.

namespace fivebar_control
{

void show(RunStatus & status, const CycleRecord & record, std::int64_t late_cycles);

/// Homing belongs to the run: its cycles are recorded before those of the controller.
class HomingRecorder
{
public:
  HomingRecorder(RecordSink & sink, RunStatus & status, bool simulated)
  : sink_(sink), status_(status), simulated_(simulated)
  {
  }

  void take(const HomingCycle & cycle)
  {
    first_ns_ = any_ ? first_ns_ : cycle.time_ns;
    last_ns_ = any_ ? std::max(cycle.time_ns, last_ns_ + 1) : cycle.time_ns;
    any_ = true;
    CycleRecord record;
    record.time_ns = last_ns_ - first_ns_;
    record.angle = cycle.angle;
    record.volts = cycle.volts;
    record.counts = cycle.sample.counts;
    record.state = ControlState::homing;
    record.read_good = cycle.read_good;
    record.write_good = cycle.write_good;
    sink_.take(record);
    show(status_, record, 0);
  }

  /// What to subtract from the time of the controller's cycles, the first of which is at `time_ns`.
  std::int64_t start_of_run(std::int64_t time_ns, std::int64_t period_ns) const
  {
    if (!any_)
    {
      return time_ns;
    }
    // The cycles of a simulated clock count anew.
    return simulated_ ? time_ns - (last_ns_ - first_ns_) - period_ns : first_ns_;
  }

private:
  RecordSink & sink_;
  RunStatus & status_;
  bool simulated_;
  bool any_ = false;
  std::int64_t first_ns_ = 0, last_ns_ = 0;
};

/// Hardware that was opened is disarmed and closed on every way out.
class OpenHardware
{
public:
  OpenHardware(MotorHardware & hardware, RunStatus & status) : hardware_(hardware), status_(status)
  {
  }
  ~OpenHardware()
  {
    if (opened_)
    {
      hardware_.disarm();
      status_.zero_confirmed.store(hardware_.confirms_zero(), std::memory_order_release);
      hardware_.close();
    }
    status_.finished.store(true, std::memory_order_release);
  }
  OpenHardware(const OpenHardware &) = delete;
  OpenHardware & operator=(const OpenHardware &) = delete;

  HardwareError open()
  {
    const HardwareError error = hardware_.open();
    opened_ = error == HardwareError::none;
    return error;
  }

private:
  MotorHardware & hardware_;
  RunStatus & status_;
  bool opened_ = false;
};

/// Everything before arming.
HardwareError open_and_home(
  OpenHardware & open, MotorHardware & hardware, const RunRequests & requests, RunStatus & status,
  HomingRecorder & homing);

/// Whether the counts may be others now than the links have turned.
bool concerns_encoders(Reason reason);

}  // namespace fivebar_control
