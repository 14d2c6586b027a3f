// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/simulation/plant_engine.hpp"

namespace fivebar_control
{

inline constexpr double gazebo_step = 1e-3;  ///< s, of the physics in Gazebo

/// The robot in a Gazebo server of its own, in this process, without window and as fast as it goes:
/// world and model are those of gazebo_world_of() and gazebo_urdf_of() with the plant's deviations.
/// Gazebo is loaded when this is called, so that a program runs without it. It moves in steps of
/// gazebo_step and, unlike other engines, allocates. Throws InputError if this build has no Gazebo,
/// if its libraries cannot be loaded or for a plant that cannot be in Gazebo.
std::unique_ptr<PlantEngine> make_gazebo_engine(
  const RobotModel & robot, const PlantParameters & plant);

/// Throws InputError for a control period that is no multiple of gazebo_step.
void require_gazebo_period(std::int64_t period_ns);

}  // namespace fivebar_control
