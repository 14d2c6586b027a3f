// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/multibody/hamiltonian_adjoint.hpp"
#include "fivebar_control/multibody/mechanism_file.hpp"
#include "fivebar_control/planner/methods/gradient.hpp"

namespace fivebar_control
{

/// The planner's problem as one of the multibody room, for the voltages in the trajectory: the
/// robot with motors as bodies and gears as constraints (Maciąg, eqs. 5.6-5.7), one Runge-Kutta
/// step per node interval. rho is u1 at all nodes, then u4.
multibody::MechanismFile tracking_mechanism(
  const TrackingProblem & problem, const RobotModel & robot, const Curve & curve,
  const Trajectory & trajectory);

/// dJ/du by the Hamiltonian adjoint of the robot in absolute coordinates (Maciąg, eqs.
/// 4.11-4.16, B.7). Throws LeavesWorkspace if the voltages lead out of the workspace.
GradientResult hamiltonian_absolute_gradient(
  const TrackingProblem & problem, const RobotModel & robot, const Curve & curve,
  Trajectory & trajectory);

}  // namespace fivebar_control
