// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/multibody/robot.hpp"
#include "fivebar_control/planner/methods/gradient.hpp"

namespace fivebar_control::cli
{

/// The planner's problem in the words of the multibody room, for the voltages in the trajectory.
multibody::RobotTracking robot_tracking(
  const TrackingProblem & problem, const RobotModel & robot, const Curve & curve,
  const Trajectory & trajectory);

/// dJ/du by the Hamiltonian adjoint of the robot in absolute coordinates, with motors as bodies and
/// gears as constraints (Maciąg, eqs. 5.6-5.7, 4.11-4.16, B.7). Throws LeavesWorkspace if
/// the voltages lead out of the workspace.
GradientResult hamiltonian_absolute_gradient(
  const TrackingProblem & problem, const RobotModel & robot, const Curve & curve,
  Trajectory & trajectory);

}  // namespace fivebar_control::cli
