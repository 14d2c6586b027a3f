// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_action/rclcpp_action.hpp>
#include <string>
#include <thread>

namespace fivebar_control
{

/// An action whose goals are worked off one at a time, in a thread of its own, so that cancelling
/// is heard meanwhile. A goal that comes in between is rejected.
template <class Action>
class JobServer
{
public:
  using Goal = typename Action::Goal;
  using Result = typename Action::Result;
  using Feedback = typename Action::Feedback;
  using GoalHandle = rclcpp_action::ServerGoalHandle<Action>;

  /// Of one goal, for whoever works on it.
  class Progress
  {
  public:
    Progress(const JobServer & server, std::shared_ptr<GoalHandle> goal)
    : server_(server), goal_(std::move(goal))
    {
    }
    /// False if nobody wants the result any more.
    bool tell(const Feedback & feedback) const
    {
      goal_->publish_feedback(std::make_shared<Feedback>(feedback));
      return is_wanted();
    }
    bool is_wanted() const { return !goal_->is_canceling() && !server_.leaving_ && rclcpp::ok(); }

  private:
    const JobServer & server_;
    std::shared_ptr<GoalHandle> goal_;
  };

  /// Fills the result; true: it succeeded. What it throws becomes the result's message.
  using Work = std::function<bool(const Goal & goal, const Progress & progress, Result & result)>;

  JobServer(rclcpp::Node & node, const std::string & name, Work work)
  : logger_(node.get_logger()), name_(name), work_(std::move(work))
  {
    server_ = rclcpp_action::create_server<Action>(
      &node, name,
      [this](const rclcpp_action::GoalUUID &, std::shared_ptr<const Goal>) {
        if (busy_.exchange(true))
        {
          RCLCPP_WARN(logger_, "rejected: busy with another %s already", name_.c_str());
          return rclcpp_action::GoalResponse::REJECT;
        }
        return rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE;
      },
      [](const std::shared_ptr<GoalHandle>) { return rclcpp_action::CancelResponse::ACCEPT; },
      [this](const std::shared_ptr<GoalHandle> goal) { begin(goal); });
  }
  ~JobServer()
  {
    leaving_ = true;
    if (worker_.joinable())
    {
      worker_.join();
    }
  }
  JobServer(const JobServer &) = delete;
  JobServer & operator=(const JobServer &) = delete;

private:
  void begin(const std::shared_ptr<GoalHandle> & goal)
  {
    if (worker_.joinable())
    {
      worker_.join();  // it has finished: busy_ was false
    }
    worker_ = std::thread([this, goal]() { do_work(goal); });
  }

  void do_work(const std::shared_ptr<GoalHandle> & goal)
  {
    const auto result = std::make_shared<Result>();
    bool good = false;
    try
    {
      good = work_(*goal->get_goal(), Progress(*this, goal), *result);
    }
    catch (const std::exception & error)
    {
      result->message = error.what();
    }
    // Before the answer, so that whoever hears it may ask for the next.
    busy_ = false;
    if (leaving_ || !rclcpp::ok())
    {
      return;
    }
    if (good)
    {
      RCLCPP_INFO(logger_, "%s", result->message.c_str());
      goal->succeed(result);
    }
    else if (goal->is_canceling())
    {
      goal->canceled(result);
    }
    else
    {
      RCLCPP_ERROR(logger_, "%s", result->message.c_str());
      goal->abort(result);
    }
  }

  rclcpp::Logger logger_;
  std::string name_;
  Work work_;
  std::atomic<bool> busy_{false};
  std::atomic<bool> leaving_{false};
  typename rclcpp_action::Server<Action>::SharedPtr server_;
  std::thread worker_;
};

}  // namespace fivebar_control
