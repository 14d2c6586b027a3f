// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/model/robot_model.hpp"

namespace fivebar_control
{

/// How Gazebo is to show and control the robot (docs/simulation.md).
struct GazeboOptions
{
  double time_step = 1e-3;       ///< s, of the world
  std::string controllers_file;  ///< for gz_ros2_control; empty: no controllers
};

/// The robot as a URDF tree for Gazebo: base_link - link_1 - link_2 - end_effector and base_link -
/// link_4 - link_3. All joint positions are zero at the closed home pose, so joint_1 and joint_4
/// are at phi - home. The driven links carry the reflected inertia of their rotors, joint_1 and
/// joint_4 the damping of back-EMF and viscous friction; Coulomb friction is not in it. The
/// DetachableJoint system welds end_effector, hinged on link_2, to link_3 and so closes the loop.
/// The names are those of description/fivebar.urdf.xacro.
std::string gazebo_urdf_of(const RobotModel & robot, const GazeboOptions & options = {});

/// An SDF world for it: DART with the PGS solver, the robot's gravity, light, nothing else.
std::string gazebo_world_of(const RobotModel & robot, const GazeboOptions & options = {});

/// Of the link end_effector, which is only there to be welded; kg, kg m². libsdformat takes 1e-6 kg
/// for no mass and leaves such a link out.
inline constexpr double gazebo_tip_mass = 1e-5;
inline constexpr double gazebo_tip_inertia = 1e-9;

}  // namespace fivebar_control
