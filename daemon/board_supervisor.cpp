// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/board_supervisor.hpp"

#include <algorithm>
#include <cmath>

namespace fivebar_control
{
namespace
{

constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t bridged_ns = 60 * millisecond;     // without a cycle that arrived
constexpr std::int64_t differing_ns = 20 * millisecond;   // of the board's volts from the law's
constexpr std::int64_t forgiving_ns = 100 * millisecond;  // after a loss the law's are not known
constexpr double differing_volts = 0.1;

Reason reason_of(serial::PlayReason reason)
{
  switch (reason)
  {
    case serial::PlayReason::not_at_start:
      return Reason::not_at_start;
    case serial::PlayReason::following:
      return Reason::following_error;
    case serial::PlayReason::range:
      return Reason::joint_range;
    case serial::PlayReason::speed:
      return Reason::joint_speed;
    case serial::PlayReason::jump:
      return Reason::encoder_jump;
    case serial::PlayReason::align_timeout:
      return Reason::alignment_timeout;
    case serial::PlayReason::not_finite:
      return Reason::output_not_finite;
    default:
      return Reason::device_fault;
  }
}

}  // namespace

ControlState control_state_of(serial::PlayState state)
{
  switch (state)
  {
    case serial::PlayState::aligning:
      return ControlState::aligning;
    case serial::PlayState::playing:
      return ControlState::playing;
    case serial::PlayState::stopping:
      return ControlState::stopping;
    case serial::PlayState::holding:
      return ControlState::holding;
    case serial::PlayState::relaxing:
      return ControlState::relaxing;
    case serial::PlayState::fault:
      return ControlState::fault;
    case serial::PlayState::idle:
    case serial::PlayState::waiting:
      break;
  }
  return ControlState::idle;
}

BoardSupervisor::BoardSupervisor(
  ControlCore & controller, const MotorHardware & hardware, std::int64_t period_ns, bool align)
: controller_(controller),
  hardware_(hardware),
  encoder_(hardware.encoder()),
  period_ns_(period_ns),
  align_(align)
{
}

ControllerSettings BoardSupervisor::supervised(ControllerSettings settings, std::int64_t period_ns)
{
  settings.guard.failures_in_a_row =
    std::max(settings.guard.failures_in_a_row, static_cast<int>(bridged_ns / period_ns));
  return settings;
}

ControlCommand BoardSupervisor::command_for(const serial::Cycle & cycle) const
{
  if (!begun_)
  {
    return align_ ? ControlCommand::align_and_start : ControlCommand::start;
  }
  const ControlState ours = controller_.state();
  const bool moving = ours == ControlState::playing || ours == ControlState::aligning;
  if (cycle.state == serial::PlayState::stopping && moving)
  {
    return ControlCommand::stop;
  }
  return cycle.state == serial::PlayState::idle ? ControlCommand::abort : ControlCommand::none;
}

CycleRecord BoardSupervisor::take(const BoardCycle & board) noexcept
{
  const serial::Cycle & cycle = board.cycle;
  ControlInput input;
  input.time_ns = static_cast<std::int64_t>(board.number) * period_ns_;
  input.read_good = !board.lost;
  if (!board.lost)
  {
    sample_.time_ns = input.time_ns;
    for (std::size_t i = 0; i < 2; ++i)
    {
      sample_.counts[i] = cycle.counts[i];
      const double output = 1e-3 * cycle.millivolts[i];
      const auto joint = static_cast<int>(i);
      volts_[joint] = output / hardware_.output_line(joint).gain;
    }
    state_ = cycle.state;
    input.command = command_for(cycle);
    begun_ = true;
  }
  input.sample_time_ns = sample_.time_ns;
  input.angle = encoder_.angle(sample_);
  since_loss_ns_ = board.lost ? 0 : since_loss_ns_ + period_ns_;

  const ControlOutput output = controller_.update(input);
  CycleRecord record = record_of(input.time_ns, output);
  record.counts = sample_.counts;
  record.volts = volts_;
  record.state = board.lost ? output.state : control_state_of(cycle.state);
  record.limited = !board.lost && cycle.limited;
  record.read_good = !board.lost;
  if (output.refusal)
  {
    finding_ = output.refusal;
  }
  if (!board.lost)
  {
    compare_volts(record, output.volts);
    take_verdict(cycle);
  }
  if (!finding_ && output.state == ControlState::fault)
  {
    finding_ = controller_.fault();
  }
  return record;
}

/// The law has no other answer to the same measurements.
void BoardSupervisor::compare_volts(const CycleRecord & record, const Eigen::Vector2d & wanted)
{
  const bool comparable =
    (record.state == ControlState::playing || record.state == ControlState::aligning) &&
    controller_.state() == record.state && since_loss_ns_ > forgiving_ns;
  const Eigen::Vector2d given = hardware_.terminal_volts(wanted);
  const bool differs = comparable && (given - volts_).cwiseAbs().maxCoeff() > differing_volts;
  differing_ns_ = differs ? differing_ns_ + period_ns_ : 0;
  if (differing_ns_ > differing_ns && !finding_)
  {
    output_differs_ = true;
    finding_ = {Reason::device_fault, -1, 1.0, 0.0};
  }
}

/// The board's own; ours says more, if it has found the same.
void BoardSupervisor::take_verdict(const serial::Cycle & cycle)
{
  const bool ended =
    cycle.state == serial::PlayState::fault || cycle.reason == serial::PlayReason::not_at_start;
  if (finding_ || !ended)
  {
    return;
  }
  if (
    controller_.state() == ControlState::fault && cycle.reason != serial::PlayReason::device_fault)
  {
    finding_ = controller_.fault();
    return;
  }
  finding_ = {reason_of(cycle.reason), -1, 1.0, 0.0};
}

}  // namespace fivebar_control
