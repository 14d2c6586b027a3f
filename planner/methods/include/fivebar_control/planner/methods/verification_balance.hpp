// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/multibody/verification.hpp"

namespace fivebar_control
{

/// Maciąg, section 5.5: the robot with a pendulum. `robot` is the published one, whatever robot the
/// user works with. `progress` hears the name of each group before it starts.
std::vector<multibody::VerificationRow> verify_balance(
  const RobotModel & robot, const std::function<void(const std::string &)> & progress);

}  // namespace fivebar_control
