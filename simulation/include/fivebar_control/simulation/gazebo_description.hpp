// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/simulation/plant.hpp"

namespace fivebar_control
{

/// What of the robot gz_ros2_control is to offer its controllers.
enum class GazeboInterface
{
  efforts,  ///< its own plugin: efforts on the joints, which are at zero at home
  volts,    ///< our plugin: volts, and encoders, amplifiers and supply as the plant file has them
};

/// How Gazebo is to show and control the robot (docs/simulation.md).
struct GazeboOptions
{
  double time_step = 1e-3;       ///< s, of the world
  bool watched = true;           ///< false: as fast as it goes, without window and services
  std::string controllers_file;  ///< for gz_ros2_control; empty: no controllers
  GazeboInterface interface = GazeboInterface::efforts;
  PlantParameters plant;  ///< how the robot in Gazebo differs from its model
  /// Where our plugin finds both again; empty: config/robot.yaml, no deviations.
  std::string robot_file, plant_file;
  std::string model_file;  ///< the model that stands in the world; empty: none, it is spawned
};

/// The robot as a URDF tree for Gazebo: base_link - link_1 - link_2 - end_effector and base_link -
/// link_4 - link_3. All joint positions are zero at the closed home pose, so joint_1 and joint_4
/// are at phi - home. The driven links carry the reflected inertia of their rotors, joint_1 and
/// joint_4 the damping of back-EMF and viscous friction, and the dry friction. The DetachableJoint
/// system welds end_effector, hinged on link_2, to link_3 and so closes the loop. The names are
/// those of description/fivebar.urdf.xacro. Throws InputError for a plant that cannot be in Gazebo.
std::string gazebo_urdf_of(const RobotModel & robot, const GazeboOptions & options = {});

/// An SDF world for it: DART with the PGS solver, the robot's gravity, light, and the model of
/// options.model_file.
std::string gazebo_world_of(const RobotModel & robot, const GazeboOptions & options = {});

/// Of the link end_effector, which is only there to be welded; kg, kg m². libsdformat takes 1e-6 kg
/// for no mass and leaves such a link out.
inline constexpr double gazebo_tip_mass = 1e-5;
inline constexpr double gazebo_tip_inertia = 1e-9;

}  // namespace fivebar_control
