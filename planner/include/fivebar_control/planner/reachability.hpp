// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/model/robot_model.hpp"

namespace fivebar_control
{

/// What keeps P from a point.
enum class Obstacle
{
  none,
  out_of_reach,
  other_assembly,        ///< reached only beyond the singularity of links 2 and 3
  parallel_singularity,  ///< links 2 and 3 too near a line
  serial_singularity_1,  ///< links 1 and 2
  serial_singularity_4,  ///< links 4 and 3
  joint_range_1,
  joint_range_4,
};

struct Reach
{
  Obstacle obstacle = Obstacle::none;
  double value = 0.0;  ///< m by which it is out of reach, |sin| at a singularity, or rad of a joint
  double excess = 0.0;  ///< how much beyond its limit that is
  Motion2 driven;       ///< of the driven links; only without an obstacle
};

/// Whether the robot can be at a point of a motion with its margins, in its own working mode and
/// with the angles nearest to `near`.
Reach reach_of(const RobotModel & robot, const Motion2 & point, const Eigen::Vector2d & near);

/// The obstacle as a sentence about a curve; `place` says where: "at t = 1 s, P = (0, 0) m".
std::string sentence_of(const Reach & reach, const RobotModel & robot, const std::string & place);

}  // namespace fivebar_control
