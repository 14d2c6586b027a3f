// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/model/robot_model.hpp"

namespace fivebar_control
{

/// How MuJoCo is to integrate, and how stiffly it closes the loop. MuJoCo's constraints are springs
/// and dampers. Measured in the motions of test_mujoco, loop and angle errors grow with the square
/// of the time constant (probably the velocity product term of the constraint, which the spring has
/// to supply). Two steps is the shortest time constant MuJoCo accepts, so the loop opens by 2e-5 m
/// at steps of 1 ms, 2e-7 m at 0.1 ms and 5e-8 m at 0.05 ms. An impedance above 0.9999 changes
/// nothing that shows.
struct MjcfOptions
{
  double time_step = 1e-4;              ///< s
  double time_constant_in_steps = 2.0;  ///< of the loop closure
  double impedance = 0.9999;            ///< of the loop closure, below 1
};

/// The robot as a MuJoCo model (MJCF), assembled at its home pose. Bodies link_1 to link_4; hinges
/// about z joint_1, joint_4 (their positions are phi1, phi4 themselves) and joint_2, joint_3
/// (relative to the driven links); sites end_effector_2 and end_effector_3, the two ends that the
/// loop closure holds together; actuators motor_1, motor_4 whose controls are volts.
/// Not in the model: Coulomb friction (MuJoCo's frictionloss is another law than ours). Who steps
/// the model adds it as a passive force, and finds room for its constants in mjData::userdata.
inline constexpr int mjcf_user_data_size = 18;
std::string mjcf_of(const RobotModel & robot, const MjcfOptions & options = {});

}  // namespace fivebar_control
