// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fivebar_control/learning/identify.hpp"

namespace fivebar_control
{

/// Whether the model explains the data, as a sentence.
std::string verdict_of(const Identification & found);

/// The identified robot as the text of a robot file, with where it comes from at its head; `name`
/// stands for the file in messages. Throws InputError where no real links can have these inertias.
std::string identified_robot_file(
  const RobotModel & robot, const std::vector<RecordedMotion> & motions,
  const Identification & found, const std::string & name, double plan_coulomb_velocity = 0.02);

}  // namespace fivebar_control
