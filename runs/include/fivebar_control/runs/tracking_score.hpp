// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "fivebar_control/controller/cycle_record.hpp"
#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/runs/path_error.hpp"

namespace fivebar_control
{

/// How well a run followed its plan, while it was playing.
struct TrackingScore
{
  double ise = 0.0;                 ///< m² s, eq. 7.3: measured path of P against the planned path
  double largest_error = 0.0;       ///< m, the same distance
  std::optional<double> true_ise;   ///< m² s, of where P truly was; simulated robots tell
  double largest_true_error = 0.0;  ///< m, the same distance
  /// m² s that the rounding to counts adds to the ISE of a perfect run; 0: counts are not known.
  double encoder_floor = 0.0;
  double feedback_rms = 0.0;        ///< V, over both motors
  double largest_volts = 0.0;       ///< V, at the motors
  std::int64_t limited_cycles = 0;  ///< in which slew or clamp changed the volts
  std::int64_t cycles = 0;
};

/// Computes the score while the run goes on; may pass the records on to another sink.
class TrackingScorer : public RecordSink
{
public:
  /// `resolution` is rad per count of each encoder; zero: not known.
  explicit TrackingScorer(
    const RobotModel & robot, RecordSink * next = nullptr,
    const Eigen::Vector2d & resolution = Eigen::Vector2d::Zero())
  : geometry_(robot.kinematics().geometry()), resolution_(resolution), next_(next)
  {
  }
  void take(const CycleRecord & record) noexcept override;
  TrackingScore score() const;

private:
  void add(const CycleRecord & record) noexcept;

  Geometry<double> geometry_;
  Eigen::Vector2d resolution_;
  RecordSink * next_;
  TrackingScore score_;
  PathErrorSum error_, true_error_, rounding_;
  double feedback_squares_ = 0.0;
};

/// m², the mean square by which rounding to counts moves P at these angles: the trace of
/// J diag(q²/12) Jᵀ with q = `resolution` in rad per count.
double rounding_of_point(
  const Geometry<double> & geometry, const Eigen::Vector2d & phi,
  const Eigen::Vector2d & resolution) noexcept;

}  // namespace fivebar_control
