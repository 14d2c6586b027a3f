// SPDX-License-Identifier: Apache-2.0
// From a curve file to a plan: the voltages with which the model of the robot follows the curve.
//
//     01_plan [CURVE.yaml [PLAN.csv]]
#include <cstdio>
#include <string>

#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/support/config_location.hpp"

using namespace fivebar_control;

int main(int count, char ** arguments)
try
{
  const std::string curve = count > 1 ? arguments[1] : find_config("curves/b_gentle.yaml");
  const std::string target = count > 2 ? arguments[2] : "b.plan.csv";

  const RobotModel robot = load_robot(find_config("robot.yaml"));
  const PlanRequest request = load_plan_request(curve);
  const PlanResult result = make_plan(robot, request, [](const Iteration & step) {
    std::printf("  iteration %d: J = %.6e\n", step.number, step.cost.total());
    return true;  // false: stop here
  });

  const Plan & plan = result.plan;
  std::printf(
    "%s: P stays within %.2f um of the curve, with at most %.2f V\n",
    to_string(plan.verdict).c_str(), 1e6 * plan.quality.largest_error,
    plan.quality.largest_voltage);
  for (const std::string & warning : result.warnings)
  {
    std::printf("note: %s\n", warning.c_str());
  }
  save_plan(plan, target);  // the file that `fivebar run` plays on real motors
  std::printf("wrote %s\n", target.c_str());
  return plan.verdict == Verdict::converged ? 0 : 3;
}
catch (const Error & error)  // file, line, column and key, or why the curve cannot be drawn
{
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
