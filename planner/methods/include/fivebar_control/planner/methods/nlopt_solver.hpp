// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/planner/plan_request.hpp"
#include "fivebar_control/planner/solver_report.hpp"

namespace fivebar_control
{

/// The published way: a general-purpose optimiser of NLopt on the adjoint gradient, for comparison.
/// Bounds on the voltage are kept; bounds on its rate are not supported (InputError).
SolverReport solve_with_nlopt(
  SolverKind kind, const TrackingProblem & problem, const SolverOptions & options,
  Trajectory & trajectory, const Progress & progress = {});

/// The solver that the request names, for make_plan().
SolverReport solve_by_any_method(
  const PlanRequest & request, const TrackingProblem & problem, Trajectory & trajectory,
  const Progress & progress);

}  // namespace fivebar_control
