// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "fivebar_control/simulation/plant.hpp"

namespace fivebar_control
{

/// A robot that is not the one of the file: masses, inertias and rotors x 0.7 to 1.4 each, centres
/// of mass moved by up to 10 mm along and 5 mm across, torque constants and resistances +-20 %,
/// rotor friction x 0.5 to 2, dry friction 3 to 30 mN m, the plane tilted by up to 0.3 m/s², and
/// the volts up to one cycle late.
PlantParameters random_plant(const RobotModel & robot, std::uint64_t seed, int number);

}  // namespace fivebar_control
