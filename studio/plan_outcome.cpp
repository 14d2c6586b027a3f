// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/studio/plan_outcome.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "fivebar_control/learning/rehearse.hpp"
#include "fivebar_control/model/drive_dynamics.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/planner/methods/nlopt_solver.hpp"

namespace fivebar_control
{
namespace
{

/// What 'fivebar run' would say of the motion. Volts are another matter: they may be allowed there.
std::string refusal_of(const Plan & plan, const RobotModel & robot)
{
  RobotParameters parameters = robot.parameters();
  parameters.limits.voltage = std::max(parameters.limits.voltage, plan.quality.largest_voltage);
  parameters.limits.voltage_rate = std::numeric_limits<double>::max();
  try
  {
    require_plan_fits(plan, RobotModel(parameters), plan.curve_name);
  }
  catch (const InputError & error)
  {
    return fmt::format(
      "no plan is written, because 'fivebar run' would refuse it: {}", error.what());
  }
  return {};
}

}  // namespace

PlanOutcome plan_one(
  const RobotModel & robot, const PlanRequest & request, const Progress & progress)
{
  PlanOutcome outcome;
  try
  {
    outcome.result = make_plan(robot, request, progress, solve_by_any_method);
  }
  catch (const NoUsableGuess & error)
  {
    outcome.error = error.what();
    outcome.end = PlanEnd::not_converged;
    return outcome;
  }
  catch (const Error & error)
  {
    outcome.error = error.what();
    outcome.end = PlanEnd::refused;
    return outcome;
  }
  const Plan & plan = outcome.result->plan;
  if (std::string refusal = refusal_of(plan, robot); !refusal.empty())
  {
    outcome.error = std::move(refusal);
    outcome.end = plan.verdict == Verdict::converged ? PlanEnd::refused : PlanEnd::not_converged;
    outcome.result.reset();
    return outcome;
  }
  if (!are_ideal(robot.parameters().drives))
  {
    Rehearsed rehearsed = rehearse(robot, plan, plan.curve_name);
    outcome.rehearsed = {rehearsed.ise_before, rehearsed.ise_after};
    if (std::string refusal = refusal_of(rehearsed.plan, robot); !refusal.empty())
    {
      outcome.error = "with the drives of the robot file: " + refusal;
      outcome.end = PlanEnd::not_converged;
      outcome.result.reset();
      return outcome;
    }
    outcome.result->plan = std::move(rehearsed.plan);
  }
  if (plan.verdict != Verdict::converged)
  {
    outcome.end = PlanEnd::not_converged;
  }
  else if (plan.quality.largest_error > request.accuracy)
  {
    outcome.end = PlanEnd::not_converged;
    outcome.shortcoming = fmt::format(
      "the plan misses its curve by {:.4g} mm at t = {:.4g} s, allowed are {:.4g} mm ('accuracy' "
      "of the curve file)",
      1e3 * plan.quality.largest_error, plan.quality.largest_error_time, 1e3 * request.accuracy);
  }
  return outcome;
}

}  // namespace fivebar_control
