// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  double feedback_rms = 0.0;        ///< V, over both motors
  double largest_volts = 0.0;       ///< V, at the motors
  std::int64_t limited_cycles = 0;  ///< in which slew or clamp changed the volts
  std::int64_t cycles = 0;
};

/// Computes the score while the run goes on; may pass the records on to another sink.
class TrackingScorer : public RecordSink
{
public:
  explicit TrackingScorer(const RobotModel & robot, RecordSink * next = nullptr)
  : geometry_(robot.kinematics().geometry()), next_(next)
  {
  }
  void take(const CycleRecord & record) noexcept override;
  TrackingScore score() const;

private:
  Geometry<double> geometry_;
  RecordSink * next_;
  TrackingScore score_;
  PathErrorSum error_;
  double feedback_squares_ = 0.0;
};

}  // namespace fivebar_control
