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
    std::make_shared<planner_node::ParamListener>(get_node_parameters_interface()))
{
  server_ = rclcpp_action::create_server<PlanCurve>(
    this, "plan_curve",
    [this](const rclcpp_action::GoalUUID &, std::shared_ptr<const PlanCurve::Goal>) {
      if (busy_.exchange(true))
      {
        RCLCPP_WARN(get_logger(), "rejected: planning another curve already");
        return rclcpp_action::GoalResponse::REJECT;
      }
      return rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE;
    },
    [](const std::shared_ptr<GoalHandle>) { return rclcpp_action::CancelResponse::ACCEPT; },
    [this](const std::shared_ptr<GoalHandle> goal) { begin(goal); });
}

PlannerNode::~PlannerNode()
{
  leaving_ = true;
  if (worker_.joinable())
  {
    worker_.join();
  }
}

void PlannerNode::begin(const std::shared_ptr<GoalHandle> & goal)
{
  if (worker_.joinable())
  {
    worker_.join();  // it has finished: busy_ was false
  }
  worker_ = std::thread([this, goal]() { work(goal); });
}

void PlannerNode::work(const std::shared_ptr<GoalHandle> & goal)
{
  const auto result = std::make_shared<PlanCurve::Result>();
  bool planned = false;
  try
  {
    plan(goal, *result);
    planned = result->converged;
  }
  catch (const std::exception & error)
  {
    result->message = error.what();
  }
  // Before the answer, so that whoever hears it may ask for the next curve.
  busy_ = false;
  if (leaving_ || !rclcpp::ok())
  {
    return;
  }
  if (planned)
  {
    RCLCPP_INFO(get_logger(), "%s", result->message.c_str());
    goal->succeed(result);
  }
  else if (goal->is_canceling())
  {
    goal->canceled(result);
  }
  else
  {
    RCLCPP_ERROR(get_logger(), "%s", result->message.c_str());
    goal->abort(result);
  }
}

void PlannerNode::plan(const std::shared_ptr<GoalHandle> & goal, PlanCurve::Result & result)
{
  const PlanCurve::Goal & wanted = *goal->get_goal();
  if (wanted.path.empty() == wanted.content.empty())
  {
    throw InputError("plan_curve: expected either a path or a content");
  }
  const std::string robot_file =
    wanted.robot_path.empty() ? parameter_listener_->get_params().robot : wanted.robot_path;
  const RobotModel robot = load_robot(given_or_config(robot_file, "robot.yaml"));
  const PlanRequest request = wanted.path.empty() ? parse_plan_request(wanted.content, "content")
                                                  : load_plan_request(wanted.path);
  const auto report_progress = [&](const Iteration & iteration) {
    const auto feedback = std::make_shared<PlanCurve::Feedback>();
    feedback->stage = static_cast<std::uint32_t>(iteration.stage);
    feedback->iteration = static_cast<std::uint32_t>(iteration.number);
    feedback->cost = iteration.cost.total();
    feedback->projected_gradient = iteration.projected_gradient;
    feedback->step_length = iteration.step_length;
    goal->publish_feedback(feedback);
    return !goal->is_canceling() && !leaving_ && rclcpp::ok();
  };
  const PlanResult planned = make_plan(robot, request, report_progress, solve_by_any_method);
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
}

}  // namespace fivebar_control
