// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fivebar_control/plan/plan.hpp"
#include "fivebar_control/planner/plan_request.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{

/// The curve can be drawn, but no voltages were found from which the solver could begin.
class NoUsableGuess : public NotReachable
{
public:
  using NotReachable::NotReachable;
};

/// The tracking problem of a request's stage. Throws NotReachable if the curve leaves the
/// workspace, the joint limits or comes too near a singularity, and says when, where and by how
/// much.
TrackingProblem make_problem(
  const RobotModel & robot, const PlanRequest & request, const CostWeights & weights);

/// Voltages for the first iteration.
void fill_guess(
  const RobotModel & robot, const PlanRequest & request, const TrackingProblem & problem,
  Trajectory & trajectory);

struct PlanResult
{
  Plan plan;
  std::vector<Iteration> history;     ///< of all stages
  std::vector<std::string> warnings;  ///< sentences for the user
  double seconds = 0.0;
};

/// Solves the problem of one stage, starting from the voltages in the trajectory.
using Solver = std::function<SolverReport(
  const PlanRequest & request, const TrackingProblem & problem, Trajectory & trajectory,
  const Progress & progress)>;

/// The planner's own solver. Throws InputError if the request asks for another one,
/// which planner/methods has (solve_by_any_method()).
SolverReport solve_by_riccati(
  const PlanRequest & request, const TrackingProblem & problem, Trajectory & trajectory,
  const Progress & progress);

/// Plans. Throws NotReachable and NoUsableGuess; a solver that does not converge is told by
/// plan.verdict.
PlanResult make_plan(
  const RobotModel & robot, const PlanRequest & request, const Progress & progress = {},
  const Solver & solver = solve_by_riccati);

}  // namespace fivebar_control
