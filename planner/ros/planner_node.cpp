// SPDX-License-Identifier: Apache-2.0
#include "planner_node.hpp"

#include <fmt/core.h>

#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/planner/methods/nlopt_solver.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{

PlannerNode::PlannerNode(const rclcpp::NodeOptions & options)
: rclcpp::Node("fivebar_planner", options),
  parameter_listener_(
    std::make_shared<planner_node::ParamListener>(get_node_parameters_interface())),
  plan_jobs_(
    *this, "plan_curve",
    [this](const auto & goal, const auto & progress, auto & result) {
      return plan(goal, progress, result);
    }),
  learn_jobs_(
    *this, "~/learn",
    [this](const auto & goal, const auto & progress, auto & result) {
      return learn(goal, progress, result);
    }),
  identify_jobs_(
    *this, "~/identify", [this](const auto & goal, const auto & progress, auto & result) {
      return identify(goal, progress, result);
    })
{
}

RobotModel PlannerNode::robot(const std::string & path) const
{
  const std::string file = path.empty() ? parameter_listener_->get_params().robot : path;
  return load_robot(given_or_config(file, "robot.yaml"));
}

bool PlannerNode::plan(
  const PlanJobs::Goal & wanted, const PlanJobs::Progress & progress,
  PlanJobs::Result & result) const
{
  if (wanted.path.empty() == wanted.content.empty())
  {
    throw InputError("plan_curve: expected either a path or a content");
  }
  const RobotModel model = robot(wanted.robot_path);
  const PlanRequest request = wanted.path.empty() ? parse_plan_request(wanted.content, "content")
                                                  : load_plan_request(wanted.path);
  const auto report_progress = [&](const Iteration & iteration) {
    PlanJobs::Feedback feedback;
    feedback.stage = static_cast<std::uint32_t>(iteration.stage);
    feedback.iteration = static_cast<std::uint32_t>(iteration.number);
    feedback.cost = iteration.cost.total();
    feedback.projected_gradient = iteration.projected_gradient;
    feedback.step_length = iteration.step_length;
    return progress.tell(feedback);
  };
  const PlanResult planned = make_plan(model, request, report_progress, solve_by_any_method);
  result.converged = planned.plan.verdict == Verdict::converged;
  result.name = planned.plan.curve_name;
  result.iterations = static_cast<std::uint32_t>(planned.plan.iterations);
  result.cost = planned.plan.quality.cost;
  result.ise = planned.plan.quality.ise;
  result.largest_error = planned.plan.quality.largest_error;
  result.largest_voltage = planned.plan.quality.largest_voltage;
  result.seconds = planned.seconds;
  result.warnings = planned.warnings;
  result.message = fmt::format(
    "'{}': {} after {} iterations, largest error {:.4g} mm, largest voltage {:.4g} V", result.name,
    to_string(planned.plan.verdict), result.iterations, 1e3 * result.largest_error,
    result.largest_voltage);
  if (result.converged)
  {
    result.plan = plan_text(planned.plan);
    if (!wanted.output_path.empty())
    {
      save_plan(planned.plan, wanted.output_path);
    }
  }
  return result.converged;
}

}  // namespace fivebar_control
