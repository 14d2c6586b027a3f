// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "fivebar_control/controller/control_core.hpp"

// The part of a cycle that only happens while the motors are driven: watch, then drive.

namespace fivebar_control
{

Finding ControlCore::watch(const CycleTiming & timing, const Reference & reference)
{
  Finding finding = guard_.check_timing(timing.late);
  if (!finding && fresh_)
  {
    finding = guard_.check_frozen(
      angle_, angle_before_, volts_ - plausibility_.holding_volts(), timing.advance_ns);
  }
  if (!finding && fresh_)
  {
    const Pose<double> pose = guard_.pose(angle_);
    finding = guard_.check_motion(angle_, pose, velocity_.speed());
    if (!finding)
    {
      finding = plausibility_.update(angle_, pose, volts_, reference.speed, sample_interval_);
    }
  }
  // While the volts fade, links with a weight leave their place: that is what relaxing means.
  if (!finding && state_ != ControlState::relaxing)
  {
    finding = guard_.check_following(reference, angle_, feedback_is_on(), timing.advance_ns);
  }
  return finding;
}

bool ControlCore::feedback_is_on() const
{
  const ControlState path = state_ == ControlState::stopping ? stopped_from_ : state_;
  return mode_ != ControlMode::feedforward_only || path != ControlState::playing;
}

/// Volts may change by what the rate limit allows in the time that has passed, and never by more
/// than in one period, however late the cycle is.
double ControlCore::share_of_period(std::int64_t advance_ns) const
{
  return advance_ns >= period_ns_ ? 1.0 : static_cast<double>(advance_ns) * 1e-9 / period_;
}

/// The observer of velocity.method kalman lives while the plan is playing, and nowhere else.
void ControlCore::observe()
{
  const bool wanted = state_ == ControlState::playing && gains_ != nullptr &&
                      settings_.velocity.method == VelocityMethod::kalman;
  if (wanted && observing_)
  {
    const std::size_t cycle = gains_->cycle(player_.time());
    observer_.update(volts_, learned_acting_, angle_, fresh_, gains_->observer[cycle]);
  }
  else if (wanted)
  {
    observer_.reset(angle_);
  }
  observing_ = wanted;
}

/// Reference less state, by the observer where it lives.
Eigen::Vector4d ControlCore::state_error(const Reference & reference) const
{
  Eigen::Vector4d x, wanted;
  x << angle_, velocity_.speed();
  wanted << reference.phi, reference.speed;
  return wanted - (observing_ ? observer_.state() : x);
}

Eigen::Vector2d ControlCore::feedback_volts(const Reference & reference) const
{
  const bool observed = along_plan() && observing_;
  const Eigen::Vector2d disturbance =
    observed ? observer_.disturbance() : Eigen::Vector2d(0.0, 0.0);
  if (!along_plan() || settings_.gains.method == FeedbackMethod::pd)
  {
    const Eigen::Vector2d speed =
      observed ? Eigen::Vector2d(observer_.state().tail<2>()) : velocity_.speed();
    return feedback_.volts(reference, angle_, speed) - disturbance;
  }
  return gains_->feedback[gains_->cycle(player_.time())] * state_error(reference) - disturbance;
}

/// What the horizon makes of the regulator's answer; the answer itself where it has nothing to say.
Eigen::Vector2d ControlCore::looking_ahead(
  const Reference & reference, const Eigen::Vector2d & regulator)
{
  if (
    !along_plan() || settings_.gains.method != FeedbackMethod::mpc ||
    mode_ != ControlMode::feedforward_and_feedback)
  {
    return regulator;
  }
  const RecedingHorizon::Answer answer = horizon_.solve(
    *gains_, {gains_->cycle(player_.time()), -state_error(reference),
              observing_ ? observer_.disturbance() : Eigen::Vector2d(0.0, 0.0), limits_.voltage,
              settings_.loop.volts_weight});
  bounded_horizons_ += answer.end == RecedingHorizon::End::bounded ? 1 : 0;
  unfinished_horizons_ += answer.end == RecedingHorizon::End::unfinished ? 1 : 0;
  return answer.end == RecedingHorizon::End::unfinished ? regulator : answer.volts;
}

Finding ControlCore::drive(ControlOutput & output, std::int64_t advance_ns)
{
  const Reference & reference = output.reference;
  observe();
  feedback_.advance(static_cast<double>(advance_ns) * 1e-9);
  Eigen::Vector2d held_back(0.0, 0.0);  // V that the law wanted before it looked ahead
  if (feedback_is_on())
  {
    const Eigen::Vector2d wanted = feedback_volts(reference);
    output.feedback = looking_ahead(reference, wanted);
    held_back = wanted - output.feedback;
  }
  Eigen::Vector2d sum = output.feedback;
  learned_acting_.setZero();
  if (mode_ != ControlMode::feedback_only)
  {
    sum += reference.feedforward;
    learned_acting_ = reference.learned;
  }
  if (state_ == ControlState::relaxing)
  {
    sum *= 1.0 - smooth_step(time_in_state() / settings_.end.relax_time);
  }
  if (!is_finite(sum))
  {
    const int joint = std::isfinite(sum[0]) ? 1 : 0;
    return {Reason::output_not_finite, joint, sum[joint], 0.0};
  }
  const OutputLimits limits{limits_.voltage, limits_.voltage_change * share_of_period(advance_ns)};
  volts_ = limit_output(sum, volts_, limits);
  const Eigen::Vector2d excess = sum - volts_;
  output.limited = !excess.isZero(0.0) || !held_back.isZero(0.0);
  if (feedback_is_on())
  {
    feedback_.integrate(reference.phi - angle_, excess, period_);
  }
  return output_guard_.check(
    sum + held_back, volts_, velocity_.speed(), static_cast<double>(advance_ns) * 1e-9);
}

void ControlCore::fall(const Finding & finding)
{
  fault_ = finding;
  enter(ControlState::fault);
}

}  // namespace fivebar_control
