// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/run_loop.hpp"

#include "fivebar_control/support/monotonic_clock.hpp"
#include "run_parts.hpp"

namespace fivebar_control
{
namespace
{

ControlCommand command_for(std::int64_t cycle, int interrupts, bool align)
{
  // Interrupted before it began: it does not begin.
  if (interrupts >= (cycle == 0 ? 1 : 2))
  {
    return ControlCommand::abort;
  }
  if (cycle == 0)
  {
    return align ? ControlCommand::align_and_start : ControlCommand::start;
  }
  return interrupts == 1 ? ControlCommand::stop : ControlCommand::none;
}

/// The cycles between arming and disarming.
void run_cycles(
  ControlCore & controller, MotorHardware & hardware, Pacer & pacer, RecordSink & sink,
  const RunRequests & requests, RunStatus & status, const RunOptions & options,
  const HomingRecorder & homing, RunOutcome & outcome)
{
  const Encoder encoder = hardware.encoder();
  const bool simulated = hardware.clock() == HardwareClock::simulated;
  // A simulated robot waits for its volts; a real one gets them in time.
  controller.set_clock(simulated ? nullptr : monotonic_now_ns);
  std::int64_t start_ns = 0;
  MotorSample sample;
  bool write_good = true;
  bool stop_requested = false;
  for (std::int64_t cycle = 0;; ++cycle)
  {
    const std::int64_t woken_ns = pacer.begin_cycle();
    const HardwareError read_error = hardware.read(sample);
    ControlInput input = input_of(
      sample, read_error, encoder, simulated ? cycle * options.period_ns : woken_ns, write_good);
    const int interrupts = requests.interrupts.load(std::memory_order_relaxed);
    input.command = command_for(cycle, interrupts, options.align);
    stop_requested = stop_requested || input.command == ControlCommand::stop;
    start_ns = cycle == 0 ? homing.start_of_run(input.time_ns, options.period_ns) : start_ns;

    const ControlOutput output = controller.update(input);
    const HardwareError write_error = hardware.write(output.volts);
    write_good = write_error == HardwareError::none;
    if (read_error != HardwareError::none || write_error != HardwareError::none)
    {
      outcome.hardware_error = read_error != HardwareError::none ? read_error : write_error;
    }
    outcome.device_status = sample.status;
    CycleRecord record = record_of(input.time_ns - start_ns, output);
    record.counts = sample.counts;
    record.volts = hardware.terminal_volts(output.volts);
    record.true_point = hardware.true_point();
    record.read_good = input.read_good;
    record.write_good = write_good;
    sink.take(record);
    show(status, record, simulated ? pacer.timing().late_cycles : controller.late_cycles());
    pacer.end_cycle();
    outcome.cycles = cycle + 1;

    if (output.state == ControlState::fault)
    {
      outcome.finding = controller.fault();
      outcome.end =
        is_hardware_fault(outcome.finding.reason) ? RunEnd::hardware_fault : RunEnd::fault;
      return;
    }
    if (output.refusal)
    {
      outcome.finding = output.refusal;
      outcome.end = RunEnd::refused;
      return;
    }
    if (output.state == ControlState::idle)
    {
      outcome.end = input.command == ControlCommand::abort
                      ? RunEnd::aborted
                      : (stop_requested ? RunEnd::stopped : RunEnd::finished);
      return;
    }
  }
}

}  // namespace

Eigen::Vector2d joint_error(const CycleRecord & record) noexcept
{
  return has_reference(record.state) ? Eigen::Vector2d(record.reference - record.angle)
                                     : Eigen::Vector2d(0.0, 0.0);
}

ControlInput input_of(
  const MotorSample & sample, HardwareError read_error, const Encoder & encoder,
  std::int64_t time_ns, bool write_good) noexcept
{
  ControlInput input;
  input.time_ns = time_ns;
  input.sample_time_ns = sample.time_ns;
  input.angle = encoder.angle(sample);
  input.read_good = read_error == HardwareError::none;
  input.write_good = write_good;
  input.device_good = !input.read_good || motor_status::is_good(sample.status);
  return input;
}

RunOutcome run_loop(
  ControlCore & controller, MotorHardware & hardware, Pacer & pacer, RecordSink & sink,
  const RunRequests & requests, RunStatus & status, const RunOptions & options)
{
  RunOutcome outcome;
  OpenHardware open(hardware, status);
  HomingRecorder homing(sink, status, hardware.clock() == HardwareClock::simulated);
  outcome.hardware_error = open_and_home(open, hardware, requests, status, homing);
  outcome.hardware_error =
    outcome.hardware_error == HardwareError::none ? hardware.arm() : outcome.hardware_error;
  if (outcome.hardware_error == HardwareError::none)
  {
    run_cycles(controller, hardware, pacer, sink, requests, status, options, homing, outcome);
    if (concerns_encoders(outcome.finding.reason))
    {
      hardware.doubt_zero();
    }
  }
  else
  {
    const bool interrupted = outcome.hardware_error == HardwareError::interrupted;
    outcome.end = interrupted ? RunEnd::aborted : RunEnd::hardware_fault;
    outcome.hardware_error = interrupted ? HardwareError::none : outcome.hardware_error;
  }
  outcome.controller_late_cycles = controller.late_cycles();
  outcome.bounded_horizons = controller.bounded_horizons();
  outcome.unfinished_horizons = controller.unfinished_horizons();
  return outcome;
}

}  // namespace fivebar_control
