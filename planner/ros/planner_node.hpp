// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <fivebar_control/action/plan_curve.hpp>
#include <fivebar_control/planner_node_parameters.hpp>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_action/rclcpp_action.hpp>
#include <thread>

namespace fivebar_control
{

/// Planning as a service to the ROS network: action plan_curve. One curve at a time, in a thread of
/// its own, so that cancelling is heard meanwhile.
class PlannerNode : public rclcpp::Node
{
public:
  explicit PlannerNode(const rclcpp::NodeOptions & options = rclcpp::NodeOptions());
  ~PlannerNode() override;

private:
  using PlanCurve = fivebar_control::action::PlanCurve;
  using GoalHandle = rclcpp_action::ServerGoalHandle<PlanCurve>;

  void begin(const std::shared_ptr<GoalHandle> & goal);
  void work(const std::shared_ptr<GoalHandle> & goal);
  void plan(const std::shared_ptr<GoalHandle> & goal, PlanCurve::Result & result);

  std::shared_ptr<planner_node::ParamListener> parameter_listener_;
  rclcpp_action::Server<PlanCurve>::SharedPtr server_;
  std::atomic<bool> busy_{false};
  std::atomic<bool> leaving_{false};
  std::thread worker_;
};

}  // namespace fivebar_control
