// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/planner/methods/gradient.hpp"

namespace fivebar_control
{

/// All ways to the gradient of the planning cost, the solver's own first.
const std::vector<std::string> & gradient_method_names();

/// dJ/du at the voltages in the trajectory. Throws InputError for a name that is not one
/// of gradient_method_names(), LeavesWorkspace if the voltages lead out of the workspace.
GradientResult named_gradient(
  const std::string & method, const TrackingProblem & problem, const RobotModel & robot,
  const Curve & curve, Trajectory & trajectory);

}  // namespace fivebar_control
