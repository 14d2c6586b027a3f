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

/// The gradient alone: discrete adjoint of the Runge-Kutta map. Returns its norm,
/// projected on `bounds`.
double sweep_adjoint(
  const TrackingProblem & problem, const InputBounds & bounds, const Trajectory & trajectory,
  const StageDirections & directions, Channels<2> & gradient);

}  // namespace fivebar_control
