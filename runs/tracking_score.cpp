// SPDX-License-Identifier: Apache-2.0
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
  const Eigen::Vector2d wanted =
    end_effector_at(geometry_, Eigen::Vector2d(record.reference - record.lead));
  const Eigen::Vector2d read =
    end_effector_at(geometry_, Eigen::Vector2d(record.angle - record.lead));
  const double square = (read - wanted).squaredNorm();
  const double time = static_cast<double>(record.time_ns) * 1e-9;
  const auto row = static_cast<std::size_t>(score_.cycles);
  error_.add(time, record.plan_time, square, row);
  if (record.true_point)
  {
    true_error_.add(time, record.plan_time, (*record.true_point - wanted).squaredNorm(), row);
    score_.true_ise = true_error_.error().ise;
  }
  rounding_.add(
    time, record.plan_time, rounding_of_point(geometry_, record.reference, resolution_), row);
  ++score_.cycles;
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
  score.ise = error_.error().ise;
  score.largest_error = error_.error().largest;
  score.largest_true_error = true_error_.error().largest;
  score.encoder_floor = rounding_.error().ise;
  if (score.cycles > 0)
  {
    score.feedback_rms = std::sqrt(0.5 * feedback_squares_ / static_cast<double>(score.cycles));
  }
  return score;
}

}  // namespace fivebar_control
