// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/plan/plan.hpp"
#include "fivebar_control/runs/run_record.hpp"

namespace fivebar_control
{

/// A motion to be shown: of a plan, or of a run that played it.
struct Motion
{
  std::string title;
  bool measured = false;               ///< of a run log
  std::vector<double> time;            ///< s, increasing from 0
  std::vector<Eigen::Vector2d> phi;    ///< rad
  std::vector<Eigen::Vector2d> volts;  ///< V, at the motors
  std::vector<Eigen::Vector2d> point;  ///< m, P
  std::vector<double> error;           ///< m, from P to the curve's point of that moment
  std::vector<Eigen::Vector2d> curve;  ///< m, the nominal path

  double duration() const { return time.back(); }
  /// Index of the last row that is not later than `t`.
  std::size_t row_at(double t) const;
};

/// The motion that the plan's model makes.
Motion motion_of_plan(const Plan & plan);

/// The measured motion of a run of this plan (require_run_of_plan() has made sure) while it was
/// played. Throws InputError if it never was.
Motion motion_of_run(const Plan & plan, const RunRecord & run);

}  // namespace fivebar_control
