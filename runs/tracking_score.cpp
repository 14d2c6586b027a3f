#include "fivebar_control/runs/tracking_score.hpp"

#include <algorithm>
#include <cmath>

namespace fivebar_control
{

double rounding_of_point(
  const Geometry<double> & geometry, const Eigen::Vector2d & phi,
  const Eigen::Vector2d & resolution) noexcept
{
  const Pose<double> pose = pose_at<double>(geometry, phi[0], phi[1]);
  const Eigen::Matrix2d jacobian =
    end_effector_jacobian<double>(geometry, pose, passive_velocity_map<double>(geometry, pose));
  return (jacobian * resolution.asDiagonal()).squaredNorm() / 12.0;
}

void TrackingScorer::add(const CycleRecord & record) noexcept
{
  const Eigen::Vector2d wanted = end_effector_at(geometry_, record.reference);
  const double square = (end_effector_at(geometry_, record.angle) - wanted).squaredNorm();
  const double time = static_cast<double>(record.time_ns) * 1e-9;
  const double half = score_.cycles > 0 ? 0.5 * (time - time_before_) : 0.0;  // trapezoids
  score_.ise += half * (square + square_before_);
  if (record.true_point)
  {
    const double true_square = (*record.true_point - wanted).squaredNorm();
    score_.true_ise = score_.true_ise.value_or(0.0) + half * (true_square + true_square_before_);
    score_.largest_true_error = std::max(score_.largest_true_error, std::sqrt(true_square));
    true_square_before_ = true_square;
  }
  const double floor = rounding_of_point(geometry_, record.reference, resolution_);
  score_.encoder_floor += half * (floor + floor_before_);
  time_before_ = time;
  square_before_ = square;
  floor_before_ = floor;
  ++score_.cycles;
  score_.largest_error = std::max(score_.largest_error, std::sqrt(square));
  score_.limited_cycles += record.limited ? 1 : 0;
  score_.largest_volts = std::max(score_.largest_volts, record.volts.cwiseAbs().maxCoeff());
  feedback_squares_ += record.feedback.squaredNorm();
}

void TrackingScorer::take(const CycleRecord & record) noexcept
{
  if (record.state == ControlState::playing)
  {
    add(record);
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
