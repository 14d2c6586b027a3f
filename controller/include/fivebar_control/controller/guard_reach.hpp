// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/controller/settings.hpp"
#include "fivebar_control/model/robot_model.hpp"

namespace fivebar_control
{

/// Throws InputError for a number that was raised above its default to where this robot can never
/// reach it: the guard would be switched off without a word. `name` stands for the controller file.
void require_guard_can_act(
  const GuardSettings & settings, const RobotModel & robot, const std::string & name);

}  // namespace fivebar_control
