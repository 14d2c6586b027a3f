// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/run_loop.hpp"

#include <algorithm>
#include <functional>

#include "fivebar_control/support/monotonic_clock.hpp"

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

/// Whether the counts may be others now than the links have turned.
bool concerns_encoders(Reason reason)
{
  return reason == Reason::encoder_jump || reason == Reason::encoder_not_finite ||
         reason == Reason::encoder_frozen;
}

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

/// Everything before the first cycle.
HardwareError prepare(
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
  return error == HardwareError::none ? hardware.arm() : error;
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
  outcome.hardware_error = prepare(open, hardware, requests, status, homing);
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
