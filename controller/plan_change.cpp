// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "fivebar_control/controller/control_core.hpp"

// One plan after the other, without a halt between them.

namespace fivebar_control
{
namespace
{

// Of rounding; a jump of the reference would be a jump of the volts.
constexpr double same_angle = 1e-6;  // rad
constexpr double same_speed = 1e-4;  // rad/s

bool goes_on(const Reference & from, const PlayablePlan & plan)
{
  std::size_t interval = 0;
  const Reference begin = plan.at(0.0, interval);
  return (begin.phi - from.phi).cwiseAbs().maxCoeff() <= same_angle &&
         (begin.speed - from.speed).cwiseAbs().maxCoeff() <= same_speed;
}

}  // namespace

bool ControlCore::go_on_with(const PlayablePlan * plan, const LoopGains * gains, std::int64_t at_ns)
{
  const bool playing = state_ == ControlState::playing && at_ns > player_.time_ns();
  const double at = static_cast<double>(at_ns) * 1e-9;
  if (!playing && state_ != ControlState::holding)
  {
    return false;
  }
  std::size_t interval = 0;
  const Reference from = playing ? plan_->at(std::min(at, plan_->duration()), interval)
                                 : settling_reference(settings_.end.settle_time);
  const bool lacks_gains = settings_.needs_gains() && gains == nullptr;
  const bool lacks_horizon =
    settings_.gains.method == FeedbackMethod::mpc && gains != nullptr && gains->horizon.empty();
  if (next_plan_ != nullptr || lacks_gains || lacks_horizon || !goes_on(from, *plan))
  {
    return false;
  }
  next_plan_ = plan;
  next_gains_ = gains;
  next_at_ns_ = at_ns;
  return true;
}

/// The change itself, in the cycle in which it is due.
void ControlCore::go_on()
{
  if (next_plan_ == nullptr)
  {
    return;
  }
  const bool playing = state_ == ControlState::playing;
  if (
    playing ? player_.time_ns() < next_at_ns_ || player_.at_end()
            : !goes_on(settling_reference(time_in_state()), *next_plan_))
  {
    return;
  }
  plan_ = next_plan_;
  gains_ = next_gains_;
  next_plan_ = nullptr;
  horizon_.reset();
  if (playing)
  {
    player_.go_on(*plan_, next_at_ns_);
    return;
  }
  player_.rewind(*plan_);
  stopped_from_ = ControlState::playing;
  enter(ControlState::playing);
}

}  // namespace fivebar_control
