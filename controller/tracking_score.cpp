#include "fivebar_control/controller/tracking_score.hpp"

#include <algorithm>
#include <cmath>

namespace fivebar_control
{

void TrackingScorer::take(const CycleRecord & record) noexcept
{
  if (record.state == ControlState::playing)
  {
    const auto point = [this](const std::array<double, 2> & phi) -> Eigen::Vector2d {
      return end_effector<double>(geometry_, pose_at<double>(geometry_, phi[0], phi[1]));
    };
    const double square = (point(record.angle) - point(record.reference)).squaredNorm();
    const double time = static_cast<double>(record.time_ns) * 1e-9;
    if (score_.cycles > 0)
    {
      score_.ise += 0.5 * (square + square_before_) * (time - time_before_);  // trapezoids
    }
    time_before_ = time;
    square_before_ = square;
    ++score_.cycles;
    score_.largest_error = std::max(score_.largest_error, std::sqrt(square));
    score_.limited_cycles += record.limited ? 1 : 0;
    for (std::size_t i = 0; i < 2; ++i)
    {
      score_.largest_volts = std::max(score_.largest_volts, std::abs(record.volts[i]));
      feedback_squares_ += record.feedback[i] * record.feedback[i];
    }
  }
  if (next_ != nullptr)
  {
    next_->take(record);
  }
}

TrackingScore TrackingScorer::score() const
{
  TrackingScore score = score_;
  if (score.cycles > 0)
  {
    score.feedback_rms = std::sqrt(0.5 * feedback_squares_ / static_cast<double>(score.cycles));
  }
  return score;
}

}  // namespace fivebar_control
