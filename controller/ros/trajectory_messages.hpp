// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <control_msgs/action/follow_joint_trajectory.hpp>
#include <string>
#include <trajectory_msgs/msg/joint_trajectory.hpp>
#include <vector>

#include "fivebar_control/controller/tolerance_watch.hpp"
#include "fivebar_control/plan/joint_trajectory.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{

/// The two driven joints as other packages speak of them.
struct JointNames
{
  std::vector<std::string> names;                        ///< link 1 first
  Eigen::Vector2d zero_angle = Eigen::Vector2d::Zero();  ///< rad, ours where theirs is zero
};

/// A trajectory that names other joints than ours.
class WrongJoints : public InputError
{
public:
  using InputError::InputError;
};
/// A trajectory that is over already.
class TrajectoryOfThePast : public InputError
{
public:
  using InputError::InputError;
};

/// The points in our order and our angles; `now_ns` is the time of the clock that stamps headers.
/// Throws WrongJoints, TrajectoryOfThePast or InputError.
std::vector<TrajectoryPoint> points_of(
  const trajectory_msgs::msg::JointTrajectory & message, const JointNames & joints,
  std::int64_t now_ns);

/// Throws WrongJoints.
RunTolerances tolerances_of(
  const control_msgs::action::FollowJointTrajectory::Goal & goal, const JointNames & joints);

/// Position and velocity of both joints, in their angles.
trajectory_msgs::msg::JointTrajectoryPoint point_of(
  const Eigen::Vector2d & phi, const Eigen::Vector2d & speed, const Eigen::Vector2d & zero_angle);

}  // namespace fivebar_control
