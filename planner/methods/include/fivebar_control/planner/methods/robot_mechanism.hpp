// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fivebar_control/model/robot_model.hpp"

namespace fivebar_control
{

/// A motion of the robot for the multibody room, which knows no robot.
struct MechanismMotion
{
  Eigen::Vector4d start = Eigen::Vector4d::Zero();  ///< phi1, phi4 and their rates
  double duration = 0.0;                            ///< s
  double step = 1e-3;                               ///< s, of the integration
  double node_step = 0.1;                           ///< s, between the nodes of the voltages
  std::vector<Eigen::Vector2d> voltages;            ///< u1, u4 at the nodes; all zero if empty
};

/// From home at rest with half a volt on both motors, for half a second.
MechanismMotion sample_motion(const RobotModel & robot);

/// The robot as a mechanism file (docs/sensitivity.md): links as bodies, motors as shafts behind
/// gears, friction at the driven joints. Its parameters are the nodes of both voltages, its costs
/// where P is at the end. Throws LeavesWorkspace if the linkage does not close at the start.
std::string mechanism_of(const RobotModel & robot, const MechanismMotion & motion);

}  // namespace fivebar_control
