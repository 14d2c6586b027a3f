// SPDX-License-Identifier: Apache-2.0
// Robot YAML: refused with a InputError, or a robot whose home pose is a pose of it.
#include "fivebar_control/model/robot_file.hpp"
#include "targets.hpp"

namespace fivebar_control::fuzz
{

void robot_file(Bytes bytes)
{
  try
  {
    const RobotModel robot = parse_robot(text_of(bytes), "robot.yaml");
    require(robot.fingerprint().size() == 16, "a fingerprint of 16 digits");
    require(robot.home_state().allFinite(), "a finite home");
    const auto pose = robot.kinematics().forward(robot.parameters().home);
    require(pose.has_value(), "the home pose can be reached");
    require(pose->end_effector.allFinite(), "P is somewhere at home");
    const Eigen::Vector4d rate = state_derivative<double>(
      robot.constants(), robot.home_state(), Eigen::Vector2d(Eigen::Vector2d::Zero()));
    require(rate.allFinite(), "the robot can move from home");
  }
  catch (const InputError &)
  {
  }
}

}  // namespace fivebar_control::fuzz
