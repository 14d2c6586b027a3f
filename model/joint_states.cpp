// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/model/joint_states.hpp"

#include <cmath>

namespace fivebar_control
{

JointStates joint_states(
  const Kinematics & kinematics, const Eigen::Vector2d & angle, const Eigen::Vector2d & speed)
{
  const Geometry<double> & geometry = kinematics.geometry();
  const Pose<double> pose = pose_at<double>(geometry, angle[0], angle[1]);
  const Eigen::Vector2d passive = passive_velocity_map<double>(geometry, pose) * speed;
  // In (-pi, pi], and never near its ends: there lie the serial singularities.
  const auto between = [](const Eigen::Vector2d & from, const Eigen::Vector2d & to) {
    return std::atan2(cross<double>(from, to), dot<double>(from, to));
  };
  return {
    {angle[0], angle[1], between(pose.e1, pose.e2), between(pose.e4, pose.e3)},
    {speed[0], speed[1], passive[0] - speed[0], passive[1] - speed[1]}};
}

}  // namespace fivebar_control
