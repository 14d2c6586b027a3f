// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "fivebar_control/model/kinematics.hpp"

namespace fivebar_control
{

/// Angles and speeds of all four joints in the order joint_1, joint_4, joint_2, joint_3. The driven
/// ones are phi1 and phi4; a passive one is the angle from the driven link to its distal link, as
/// in a URDF or MJCF tree.
struct JointStates
{
  std::array<double, 4> angle{};  ///< rad
  std::array<double, 4> speed{};  ///< rad/s
};

/// From the driven joints by closing the linkage. Where it cannot close, the passive values are
/// NaN.
JointStates joint_states(
  const Kinematics & kinematics, const Eigen::Vector2d & angle, const Eigen::Vector2d & speed);

}  // namespace fivebar_control
