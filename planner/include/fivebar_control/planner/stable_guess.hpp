// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/planner/plan_request.hpp"
#include "fivebar_control/planner/tracking_problem.hpp"

namespace fivebar_control
{

/// Voltages for the first iteration where gravity makes the open loop unstable: played alone, those
/// of inverse dynamics let the links fall. The same with feedback on the model's own motion, node
/// by node, which the rollout then repeats to the last bit.
void fill_stable_guess(
  const RobotModel & robot, const PlanRequest & request, const TrackingProblem & problem,
  Trajectory & trajectory);

}  // namespace fivebar_control
