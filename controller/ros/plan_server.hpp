// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fivebar_control/action/execute_plan.hpp>
#include <fivebar_control/srv/load_plan.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <rclcpp_action/rclcpp_action.hpp>
#include <string>

#include "clerk.hpp"
#include "run_desk.hpp"

namespace fivebar_control
{

/// Service ~/load_plan and action ~/execute_plan. Files are read by a thread of their own, so that
/// a plan on a disk that does not answer holds up nobody but its caller.
class PlanServer : public std::enable_shared_from_this<PlanServer>
{
public:
  explicit PlanServer(std::shared_ptr<RunDesk> desk);

  /// After construction, because the callbacks hold weak pointers to this object.
  void start();
  /// Throws InputError.
  void load(const std::string & path);

private:
  using ExecutePlan = fivebar_control::action::ExecutePlan;
  using LoadPlan = fivebar_control::srv::LoadPlan;
  using GoalHandle = rclcpp_action::ServerGoalHandle<ExecutePlan>;
  using Goal = std::shared_ptr<GoalHandle>;

  void take(const std::shared_ptr<const LoadedPlan> & plan);
  std::shared_ptr<const LoadedPlan> loaded() const;
  LoadPlan::Response answer(const LoadPlan::Request & request);
  void take_request(
    const rclcpp::Service<LoadPlan>::SharedPtr & service,
    const std::shared_ptr<rmw_request_id_t> & caller,
    const std::shared_ptr<LoadPlan::Request> & request);
  void begin(const Goal & goal);
  bool cancel(const Goal & goal);
  void refuse(const Goal & goal, const std::string & message) const;
  void finish(const Goal & goal, const RunResult & run);

  std::shared_ptr<RunDesk> desk_;
  mutable std::mutex mutex_;
  std::shared_ptr<const LoadedPlan> loaded_;
  std::map<const GoalHandle *, std::uint64_t> runs_;  ///< of goals that are being played

  rclcpp::Service<LoadPlan>::SharedPtr load_service_;
  rclcpp_action::Server<ExecutePlan>::SharedPtr execute_server_;
  Clerk loader_;
};

}  // namespace fivebar_control
