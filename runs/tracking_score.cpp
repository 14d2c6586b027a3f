// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/runs/tracking_score.hpp"

#include <algorithm>
#include <cmath>

namespace fivebar_control
{

void TrackingScorer::take(const CycleRecord & record) noexcept
{
  if (record.state == ControlState::playing)
  {
    const double square =
      (end_effector_at(geometry_, record.angle) - end_effector_at(geometry_, record.reference))
        .squaredNorm();
    const double time = static_cast<double>(record.time_ns) * 1e-9;
    error_.add(time, record.plan_time, square, static_cast<std::size_t>(score_.cycles));
    ++score_.cycles;
    score_.limited_cycles += record.limited ? 1 : 0;
    score_.largest_volts = std::max(score_.largest_volts, record.volts.cwiseAbs().maxCoeff());
    feedback_squares_ += record.feedback.squaredNorm();
  }
  if (next_ != nullptr)
  {
    next_->take(record);
  }
}

TrackingScore TrackingScorer::score() const
{
  TrackingScore score = score_;
  score.ise = error_.error().ise;
  score.largest_error = error_.error().largest;
  if (score.cycles > 0)
  {
    score.feedback_rms = std::sqrt(0.5 * feedback_squares_ / static_cast<double>(score.cycles));
  }
  return score;
}

}  // namespace fivebar_control
