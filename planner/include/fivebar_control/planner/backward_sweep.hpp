// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fivebar_control/planner/rollout.hpp"
#include "fivebar_control/planner/tracking_problem.hpp"

namespace fivebar_control
{

/// What one backward sweep found out about the trajectory.
struct SweepReport
{
  double linear_decrease = 0.0;     ///< d J / d alpha of the step at alpha = 0 (negative)
  double quadratic_decrease = 0.0;  ///< curvature: J(alpha) ~ J + alpha lin + ½ alpha² quad
  double projected_gradient = 0.0;  ///< 2-norm of dJ/du without components that push into a bound
  std::size_t active_bounds = 0;    ///< inputs held at a bound by the step
  bool convex = true;               ///< false: raise the regularisation and sweep again
};

/// Gauss-Newton model of the problem around a trajectory, solved by a Riccati recursion with the
/// bounds on each node's voltages kept exactly (docs/planning.md, "Solver"). `gradient` receives
/// the discrete adjoint gradient dJ/du (two channels over the nodes). Allocation-free.
SweepReport sweep_riccati(
  const TrackingProblem & problem, const InputBounds & bounds, const Trajectory & trajectory,
  const StageDirections & directions, double regularization, std::vector<NodeGain> & gains,
  Channels<2> & gradient);

/// The Newton step of all inputs that no bound blocks: those at a bound that the gradient pushes
/// against it are held, the others are taken for free, and `step` is the open-loop change of the
/// voltages that minimises the model so. Clamped to the bounds it leads down for a short enough
/// length, and a step that promises nothing means an optimum: both do not hold for sweep_riccati(),
/// whose bounds are chosen node by node at the nominal state. `gains` is room to work in.
SweepReport sweep_projected(
  const TrackingProblem & problem, const InputBounds & bounds, const Trajectory & trajectory,
  const StageDirections & directions, double regularization, std::vector<NodeGain> & gains,
  Channels<2> & gradient, Channels<2> & step);

/// The gradient alone: discrete adjoint of the Runge-Kutta map. Returns its norm,
/// projected on `bounds`.
double sweep_adjoint(
  const TrackingProblem & problem, const InputBounds & bounds, const Trajectory & trajectory,
  const StageDirections & directions, Channels<2> & gradient);

}  // namespace fivebar_control
