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
    finding = plausibility_.update(angle_, volts_, sample_interval_);
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

Finding ControlCore::drive(ControlOutput & output, std::int64_t advance_ns)
{
  const Reference & reference = output.reference;
  if (feedback_is_on())
  {
    output.feedback = feedback_.volts(reference, angle_, velocity_.speed());
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
