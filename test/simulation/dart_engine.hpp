// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/simulation/plant_engine.hpp"

namespace fivebar_control
{

/// The description for Gazebo in DART, put together as gz-physics does it: the tree from the SDF
/// that libsdformat makes of our URDF; the link end_effector, which would have two parents, split
/// into halves that a weld constraint holds together; PGS solver. Volts become efforts as in
/// VoltageToEffort. Dry friction is DART's own.
std::unique_ptr<PlantEngine> make_dart_engine(
  const RobotModel & robot, const PlantParameters & plant);

}  // namespace fivebar_control
