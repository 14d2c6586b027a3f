#pragma once

#include <string>

#include "fivebar_control/model/robot_model.hpp"

namespace fivebar_control
{

/// How MuJoCo is to integrate, and how stiffly it closes the loop. MuJoCo's constraints are springs
/// and dampers without the velocity product term J' q' of the constraint, which the spring has to
/// supply: the loop opens by |J' q'| times the square of the time constant, and the angles follow.
/// Two steps is the shortest time constant that MuJoCo accepts, so the error falls with the square
/// of the step: 2e-5 m at 1 ms, 2e-7 m at 0.1 ms, 5e-8 m at 0.05 ms in the motions of test_mujoco.
/// The impedance hardly matters from 0.999 on.
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
/// the model adds it as a passive force.
std::string mjcf_of(const RobotModel & robot, const MjcfOptions & options = {});

}  // namespace fivebar_control
