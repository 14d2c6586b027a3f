#pragma once

#include <atomic>
#include <cstdint>

#include "fivebar_control/controller/cycle_record.hpp"
#include "fivebar_control/hardware/motor_hardware.hpp"
#include "pacer.hpp"

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
  std::atomic<double> volts_1{0.0}, volts_4{0.0};
  std::atomic<std::int64_t> late_cycles{0};
  std::atomic<ControlState> state{ControlState::idle};
  std::atomic<bool> finished{false};
};

enum class RunEnd
{
  finished,        ///< the plan was played, held and relaxed
  stopped,         ///< on request, smoothly
  aborted,         ///< on request, at once
  refused,         ///< the controller did not start
  fault,           ///< the guard stopped it
  hardware_fault,  ///< the hardware did not open, did not arm, or failed on the way
};

const char * to_string(RunEnd end);

struct RunOutcome
{
  RunEnd end = RunEnd::finished;
  Finding finding;                                     ///< of a refusal or fault
  HardwareError hardware_error = HardwareError::none;  ///< the last one seen
  std::uint32_t device_status = 0;                     ///< of the last sample
  std::int64_t cycles = 0;
  std::int64_t controller_late_cycles = 0;  ///< by the time stamps that the controller saw
};

struct RunOptions
{
  std::int64_t period_ns = 1'000'000;
  bool align = false;
};

/// Opens and arms the hardware, plays the controller's plan to its end and disarms. On simulated
/// hardware the controller's clock is the simulated one, so that the result does not depend on how
/// the loop was paced. One thread; between arming and disarming it neither allocates nor locks.
RunOutcome run_loop(
  ControlCore & controller, MotorHardware & hardware, Pacer & pacer, RecordSink & sink,
  const RunRequests & requests, RunStatus & status, const RunOptions & options);

}  // namespace fivebar_control
