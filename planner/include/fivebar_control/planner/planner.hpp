#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "fivebar_control/planner/plan.hpp"
#include "fivebar_control/planner/plan_request.hpp"

namespace fivebar_control
{

/// The curve cannot be drawn by this robot; what() says when, where and by how much.
class CurveNotReachable : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/// The tracking problem of a request's stage. Throws CurveNotReachable if the curve leaves the
/// workspace, the joint limits or comes too near a singularity.
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

/// Plans. Throws CurveNotReachable; a solver that does not converge is told by plan.verdict.
PlanResult make_plan(
  const RobotModel & robot, const PlanRequest & request, const Progress & progress = {});

}  // namespace fivebar_control
