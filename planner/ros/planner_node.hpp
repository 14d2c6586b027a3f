// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fivebar_control/action/identify.hpp>
#include <fivebar_control/action/learn.hpp>
#include <fivebar_control/action/plan_curve.hpp>
#include <fivebar_control/planner_node_parameters.hpp>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <string>

#include "fivebar_control/model/robot_model.hpp"
#include "job_server.hpp"

namespace fivebar_control
{

/// What takes computing time as a service to the ROS network: actions plan_curve, ~/learn and
/// ~/identify. One goal of each at a time, in threads of their own.
class PlannerNode : public rclcpp::Node
{
public:
  explicit PlannerNode(const rclcpp::NodeOptions & options = rclcpp::NodeOptions());

private:
  using PlanJobs = JobServer<fivebar_control::action::PlanCurve>;
  using LearnJobs = JobServer<fivebar_control::action::Learn>;
  using IdentifyJobs = JobServer<fivebar_control::action::Identify>;

  /// The file, or the one of the node's parameter.
  RobotModel robot(const std::string & path) const;
  bool plan(
    const PlanJobs::Goal & wanted, const PlanJobs::Progress & progress,
    PlanJobs::Result & result) const;
  bool learn(
    const LearnJobs::Goal & wanted, const LearnJobs::Progress & progress,
    LearnJobs::Result & result) const;
  bool identify(
    const IdentifyJobs::Goal & wanted, const IdentifyJobs::Progress & progress,
    IdentifyJobs::Result & result) const;

  std::shared_ptr<planner_node::ParamListener> parameter_listener_;
  // Last, so that their threads end before what they use.
  PlanJobs plan_jobs_;
  LearnJobs learn_jobs_;
  IdentifyJobs identify_jobs_;
};

}  // namespace fivebar_control
