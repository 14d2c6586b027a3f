// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <diagnostic_updater/diagnostic_updater.hpp>
#include <fivebar_control/action/execute_plan.hpp>
#include <fivebar_control/srv/load_plan.hpp>
#include <memory>
#include <rclcpp_action/rclcpp_action.hpp>
#include <rclcpp_lifecycle/lifecycle_node.hpp>
#include <string>

#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/plan/plan.hpp"
#include "fivebar_control/runs/run_log.hpp"
#include "handover.hpp"

namespace fivebar_control
{

/// What the logs of all runs have in common.
struct RunSetting
{
  ControllerSettings controller;
  std::string hardware;
  double rate = 0.0;          ///< Hz
  std::string log_directory;  ///< for runs that name no log; empty: none
};

/// The controller's face to the ROS network: service ~/load_plan, action ~/execute_plan and
/// diagnostics. Lives outside the real-time loop and talks to it through the Handover only.
class PlanServer : public std::enable_shared_from_this<PlanServer>
{
public:
  PlanServer(
    rclcpp_lifecycle::LifecycleNode::SharedPtr node, std::shared_ptr<Handover> handover,
    const RobotModel & robot, RunSetting setting);
  ~PlanServer();

  /// After construction, because the callbacks hold weak pointers to this object.
  void start(double monitor_rate);
  /// Throws InputError.
  void load(const std::string & path);

private:
  using ExecutePlan = fivebar_control::action::ExecutePlan;
  using LoadPlan = fivebar_control::srv::LoadPlan;
  using GoalHandle = rclcpp_action::ServerGoalHandle<ExecutePlan>;

  struct LoadedPlan
  {
    Plan plan;
    PlayablePlan playable;
  };

  void take(const Plan & plan, const std::string & file);
  void answer(const LoadPlan::Request & request, LoadPlan::Response & response);
  /// Where the log of this goal goes; empty: nowhere.
  std::string log_file(const std::string & wanted) const;
  void open_log(const std::string & path, ControlMode mode);
  /// Returns the file, or nothing if there is none.
  std::string close_log(RunEnd end, Reason reason);
  void begin(const std::shared_ptr<GoalHandle> & goal);
  bool cancel(const std::shared_ptr<GoalHandle> & goal);
  void monitor();
  void show_progress(const RunNews & news);
  void finish(const RunNews & news);
  void refuse(const std::shared_ptr<GoalHandle> & goal, const std::string & message);
  void diagnose(diagnostic_updater::DiagnosticStatusWrapper & status) const;

  rclcpp_lifecycle::LifecycleNode::SharedPtr node_;
  std::shared_ptr<Handover> handover_;
  RobotModel robot_;
  RunSetting setting_;

  std::shared_ptr<const LoadedPlan> loaded_;
  std::shared_ptr<const LoadedPlan> running_;  ///< what the real-time side may be reading
  std::unique_ptr<RunLog> log_;                ///< what the real-time side may be writing to
  std::string log_file_;
  std::shared_ptr<GoalHandle> goal_;
  std::uint64_t run_ = 0;
  bool stop_requested_ = false;
  RunNews last_news_;
  std::string last_fault_;

  rclcpp::Service<LoadPlan>::SharedPtr load_service_;
  rclcpp_action::Server<ExecutePlan>::SharedPtr execute_server_;
  rclcpp::TimerBase::SharedPtr timer_;
  std::unique_ptr<diagnostic_updater::Updater> diagnostics_;
};

}  // namespace fivebar_control
