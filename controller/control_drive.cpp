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
    finding = guard_.check_motion(angle_, velocity_.speed());
  }
  if (!finding && fresh_)
  {
    finding = plausibility_.update(angle_, volts_, reference.speed, sample_interval_);
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
    observer_.update(volts_, Eigen::Vector2d(0.0, 0.0), angle_, fresh_, gains_->observer[cycle]);
  }
  else if (wanted)
  {
    observer_.reset(angle_);
  }
  observing_ = wanted;
}

Eigen::Vector2d ControlCore::feedback_volts(const Reference & reference) const
{
  const bool along_plan = state_ == ControlState::playing && gains_ != nullptr;
  Eigen::Vector4d x;
  x << angle_, velocity_.speed();
  Eigen::Vector2d disturbance(0.0, 0.0);
  if (along_plan && observing_)
  {
    disturbance = observer_.disturbance();
    x.tail<2>() = observer_.state().tail<2>();
  }
  if (!along_plan || settings_.gains.method == FeedbackMethod::pd)
  {
    return feedback_.volts(reference, angle_, x.tail<2>()) - disturbance;
  }
  if (observing_)
  {
    x = observer_.state();
  }
  Eigen::Vector4d wanted;
  wanted << reference.phi, reference.speed;
  return gains_->feedback[gains_->cycle(player_.time())] * (wanted - x) - disturbance;
}

Finding ControlCore::drive(ControlOutput & output, std::int64_t advance_ns)
{
  const Reference & reference = output.reference;
  observe();
  feedback_.advance(static_cast<double>(advance_ns) * 1e-9);
  if (feedback_is_on())
  {
    output.feedback = feedback_volts(reference);
  }
  Eigen::Vector2d sum = output.feedback;
  if (mode_ != ControlMode::feedback_only)
  {
    sum += reference.feedforward;
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
  output.limited = excess[0] != 0.0 || excess[1] != 0.0;
  if (feedback_is_on())
  {
    feedback_.integrate(reference.phi - angle_, excess, period_);
  }
  return output_guard_.check(
    sum, volts_, velocity_.speed(), static_cast<double>(advance_ns) * 1e-9);
}

void ControlCore::fall(const Finding & finding)
{
  fault_ = finding;
  enter(ControlState::fault);
}

}  // namespace fivebar_control
