// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "fivebar_control/controller/cycle_record.hpp"
#include "fivebar_control/daemon/pacer.hpp"
#include "fivebar_control/hardware/motor_hardware.hpp"
#include "fivebar_control/runs/run_end.hpp"

namespace fivebar_control
{

/// What the outside wants of a running loop. Set from signal handlers and other threads.
struct RunRequests
{
  std::atomic<int> interrupts{0};  ///< 1: stop smoothly, 2 or more: zero volts at once
};

/// What the loop shows to the outside while it runs. Written once per cycle, never waits.
struct RunStatus
{
  std::atomic<double> time{0.0};   ///< s since the first cycle
  std::atomic<double> error{0.0};  ///< rad, the larger of the two joints
  std::array<std::atomic<double>, 2> volts{};
  std::atomic<std::int64_t> late_cycles{0};
  std::atomic<ControlState> state{ControlState::idle};
  std::atomic<bool> homing{false};
  /// The device itself has said that its motors have no volts, and nobody will drive them again.
  std::atomic<bool> zero_confirmed{false};
  std::atomic<bool> finished{false};
};

struct RunOutcome
{
  RunEnd end = RunEnd::finished;
  Finding finding;                                     ///< of a refusal or fault
  HardwareError hardware_error = HardwareError::none;  ///< the last one seen
  std::uint32_t device_status = 0;                     ///< of the last sample
  std::int64_t cycles = 0;
  std::int64_t controller_late_cycles = 0;  ///< by the time stamps that the controller saw
  /// Of feedback.method mpc: cycles with a limit in the way, and those that did not finish.
  std::int64_t bounded_horizons = 0, unfinished_horizons = 0;
};

struct RunOptions
{
  std::int64_t period_ns = 1'000'000;
  bool align = false;
};

/// rad between reference and measurement; zero in states that have no reference.
Eigen::Vector2d joint_error(const CycleRecord & record) noexcept;

/// What a cycle that began at `time_ns` knows from reading the hardware; the command is the
/// caller's.
ControlInput input_of(
  const MotorSample & sample, HardwareError read_error, const Encoder & encoder,
  std::int64_t time_ns, bool write_good) noexcept;

/// Opens, homes and arms the hardware, plays the controller's plan to its end and disarms, however
/// it ends, also by an exception. Any interrupt while homing is zero volts at once. On simulated
/// hardware the controller's clock is the simulated one, so that the result does not depend on how
/// the loop was paced. One thread; between arming and disarming it neither allocates nor locks.
RunOutcome run_loop(
  ControlCore & controller, MotorHardware & hardware, Pacer & pacer, RecordSink & sink,
  const RunRequests & requests, RunStatus & status, const RunOptions & options);

}  // namespace fivebar_control
