// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/play_on_board.hpp"

#include "fivebar_control/support/monotonic_clock.hpp"
#include "run_parts.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t look_ns = 10 * millisecond;
constexpr std::int64_t drain_ns = 300 * millisecond;  // for what the board says after its end

/// The conversation from the first setting to the last cycle.
class Conversation
{
public:
  Conversation(
    ControlCore & controller, MotorHardware & hardware, BoardPlayer & player,
    const BoardRunOptions & options)
  : hardware_(hardware),
    player_(player),
    supervisor_(controller, hardware, options.period_ns, options.align)
  {
  }

  void hold(
    RecordSink & sink, const RunRequests & requests, RunStatus & status,
    const HomingRecorder & homing, std::int64_t period_ns, RunOutcome & outcome)
  {
    const std::int64_t before_ns = -homing.start_of_run(0, period_ns);
    while (!player_.is_over())
    {
      const HardwareError error = player_.exchange(monotonic_now_ns() + look_ns);
      BoardCycle cycle;
      while (player_.next(cycle))
      {
        CycleRecord record = supervisor_.take(cycle);
        record.time_ns += before_ns;
        sink.take(record);
        show(status, record, 0);
        ++outcome.cycles;
      }
      if (error != HardwareError::none)
      {
        outcome.hardware_error = error;
        break;
      }
      obey(requests, outcome);
      if (switched_off_ns_ != 0 && monotonic_now_ns() - switched_off_ns_ > drain_ns)
      {
        break;
      }
    }
    conclude(outcome);
  }

private:
  void obey(const RunRequests & requests, RunOutcome & outcome)
  {
    const int interrupts = requests.interrupts.load(std::memory_order_relaxed);
    const bool found = static_cast<bool>(supervisor_.finding());
    if (interrupts == 1)
    {
      stopped_ = true;
      player_.stop();
    }
    if ((interrupts >= 2 || found) && switched_off_ns_ == 0)
    {
      aborted_ = !found;
      switched_off_ns_ = monotonic_now_ns();
      const HardwareError error = hardware_.disarm();
      outcome.hardware_error = error != HardwareError::none ? error : outcome.hardware_error;
    }
  }

  void conclude(RunOutcome & outcome)
  {
    using serial::PlayReason;
    const PlayReason reason = player_.progress().reason;
    outcome.finding = supervisor_.finding();
    if (!outcome.finding && outcome.hardware_error != HardwareError::none && !aborted_)
    {
      const bool device = outcome.hardware_error == HardwareError::device_fault;
      outcome.finding = {device ? Reason::device_fault : Reason::read_failed, -1, 1.0, 0.0};
    }
    if (!outcome.finding && (reason == PlayReason::stream_dry || reason == PlayReason::host_silent))
    {
      outcome.finding = {Reason::host_late, -1, 0.0, 0.0};
    }
    const bool never_began = outcome.cycles == 0 && !aborted_ && !outcome.finding;
    if (never_began)
    {
      outcome.hardware_error = HardwareError::device_fault;
      outcome.end = RunEnd::hardware_fault;
    }
    else if (outcome.finding)
    {
      const bool refused = !is_fault(outcome.finding.reason);
      outcome.end = refused ? RunEnd::refused
                            : (is_hardware_fault(outcome.finding.reason) ? RunEnd::hardware_fault
                                                                         : RunEnd::fault);
    }
    else
    {
      outcome.end = aborted_ ? RunEnd::aborted : (stopped_ ? RunEnd::stopped : RunEnd::finished);
    }
  }

  MotorHardware & hardware_;
  BoardPlayer & player_;
  BoardSupervisor supervisor_;
  bool stopped_ = false;
  bool aborted_ = false;
  std::int64_t switched_off_ns_ = 0;
};

/// The bits of a board's status as motor_status has them.
std::uint32_t device_status_of(const serial::Progress & progress)
{
  namespace bits = motor_status;
  const auto translate = [&progress](std::uint32_t from, std::uint32_t to) {
    return (progress.status & from) != 0U ? to : 0U;
  };
  return translate(serial::watchdog, bits::watchdog_tripped) |
         translate(serial::over_current, bits::over_current) |
         translate(serial::under_voltage, bits::under_voltage) |
         translate(serial::encoder_error, bits::encoder_error) |
         translate(serial::emergency_stop, bits::emergency_stop);
}

std::string explanation_of(const serial::Progress & progress, const RunOutcome & outcome)
{
  if (outcome.end == RunEnd::finished || progress.reason == serial::PlayReason::none)
  {
    return {};
  }
  const std::string causes = describe_status(device_status_of(progress));
  return std::string("the board says: ") + serial::to_string(progress.reason) +
         (causes.empty() ? "" : " (" + causes + ")");
}

}  // namespace

BoardRunOutcome play_on_board(
  ControlCore & controller, MotorHardware & hardware,
  const std::function<BoardProgram(std::int64_t period_ns)> & program, RecordSink & sink,
  const RunRequests & requests, RunStatus & status, const BoardRunOptions & options)
{
  BoardRunOutcome result;
  RunOutcome & outcome = result.run;
  OpenHardware open(hardware, status);
  HomingRecorder homing(sink, status, hardware.clock() == HardwareClock::simulated);
  outcome.end = RunEnd::hardware_fault;
  outcome.hardware_error = open_and_home(open, hardware, requests, status, homing);
  if (
    outcome.hardware_error == HardwareError::interrupted ||
    requests.interrupts.load(std::memory_order_relaxed) > 0)
  {
    outcome.end = RunEnd::aborted;
    outcome.hardware_error = HardwareError::none;
    return result;
  }
  BoardPlayer * player =
    outcome.hardware_error == HardwareError::none ? hardware.player() : nullptr;
  if (outcome.hardware_error == HardwareError::none && player == nullptr)
  {
    outcome.hardware_error = HardwareError::wrong_device;
    result.explanation =
      "it does not play plans by itself: its firmware speaks protocol 1.1 or older, or it is no "
      "motor board; update it, or say --play host";
  }
  else if (player != nullptr && player->period_ns() != options.period_ns)
  {
    outcome.hardware_error = HardwareError::wrong_device;
    result.explanation =
      "the board plays at " +
      std::to_string(1'000'000'000 / std::max<std::int64_t>(1, player->period_ns())) +
      " Hz: --rate must be the same";
  }
  if (outcome.hardware_error != HardwareError::none)
  {
    return result;
  }
  const BoardProgram loaded = program(options.period_ns);
  outcome.hardware_error = player->load(loaded);
  if (outcome.hardware_error == HardwareError::none)
  {
    Conversation(controller, hardware, *player, options)
      .hold(sink, requests, status, homing, options.period_ns, outcome);
    outcome.device_status = device_status_of(player->progress());
    result.reason = player->progress().reason;
    result.explanation = explanation_of(player->progress(), outcome);
  }
  result.statistics = player->play_statistics();
  if (concerns_encoders(outcome.finding.reason))
  {
    hardware.doubt_zero();
  }
  return result;
}

}  // namespace fivebar_control
