// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/simulation/plant_engine.hpp"

namespace fivebar_control
{

/// The robot in MuJoCo, from the MJCF that mjcf_of() makes of the robot with the plant's
/// deviations. MuJoCo is loaded when this is called, so that a program runs without it. Throws
/// InputError if this build knows no MuJoCo, or if its library is missing or of another version.
std::unique_ptr<PlantEngine> make_mujoco_engine(
  const RobotModel & robot, const PlantParameters & plant);

/// The same from a given MJCF with the names of mjcf_of(); its time step is the longest. Throws
/// InputError with MuJoCo's complaint or the name that is missing.
std::unique_ptr<PlantEngine> make_mujoco_engine_from(
  const std::string & mjcf, const RobotModel & robot, const PlantParameters & plant);

}  // namespace fivebar_control
