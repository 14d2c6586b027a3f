// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/runs/run_record.hpp"

namespace fivebar_control
{

/// What identification needs of a run: volts that acted and angles that were read, from the first
/// cycle, in which the robot stands, to the last one of the plan.
struct RecordedMotion
{
  std::string name;                                      ///< the log
  std::vector<double> t;                                 ///< s
  std::vector<Eigen::Vector2d> volts;                    ///< written in this cycle
  std::vector<Eigen::Vector2d> angle;                    ///< rad, read in this cycle
  std::vector<bool> good;                                ///< whether the reading is one
  Eigen::Vector2d resolution = Eigen::Vector2d::Zero();  ///< rad per count
  Eigen::Vector2d variance = Eigen::Vector2d::Zero();    ///< rad², of one reading

  std::size_t size() const { return t.size(); }
};

/// `noise`: rad, standard deviation before rounding; negative: found from the readings themselves.
/// Throws InputError for a log that tells nothing: of another robot, too short, at rest, with
/// holes, or with the motors at their limit throughout.
RecordedMotion recorded_motion(const RunRecord & run, const RobotModel & robot, double noise = -1);

/// rad per count of both encoders, from counts and angles of the log, or from the angles alone
/// where it has no counts; zero for one that never moved.
Eigen::Vector2d encoder_resolution(const RunRecord & run);

}  // namespace fivebar_control
