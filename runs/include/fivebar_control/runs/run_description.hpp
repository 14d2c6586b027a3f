// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/controller/settings.hpp"
#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/plan/plan.hpp"

namespace fivebar_control
{

/// What was played, on what and how. Nothing in it depends on when or how fast the run was: logs of
/// equal runs are equal.
struct RunDescription
{
  std::string robot_name, robot_fingerprint, curve, hardware, mode, package_version;
  double rate = 0.0;           ///< Hz
  double voltage_limit = 0.0;  ///< V
  double kp = 0.0, kd = 0.0, ki = 0.0;
  std::string feedback_method = "pd";                   ///< as the controller file says it
  std::string velocity_method = "filtered_difference";  ///< as the controller file says it
  double velocity_cutoff = 50.0;                        ///< Hz
  bool has_truth = false;                               ///< the robot told where P truly was
  GuardSettings guard;  ///< not read back from a log: it is there for people
};

RunDescription describe_run(
  const Plan & plan, const RobotModel & robot, const ControllerSettings & settings,
  const std::string & hardware, ControlMode mode, double rate, bool has_truth = false);

}  // namespace fivebar_control
