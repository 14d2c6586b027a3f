// SPDX-License-Identifier: Apache-2.0
#include "trajectory_server.hpp"

#include <fmt/core.h>

#include <chrono>
#include <thread>

#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

using Result = control_msgs::action::FollowJointTrajectory::Result;

int error_code(const RunNews & news)
{
  if (news.tolerance == ToleranceVerdict::path_left)
  {
    return Result::PATH_TOLERANCE_VIOLATED;
  }
  if (news.tolerance == ToleranceVerdict::goal_missed)
  {
    return Result::GOAL_TOLERANCE_VIOLATED;
  }
  // The action knows no code for a guard; its band around the reference is the nearest.
  return news.ending == RunEnd::finished  ? Result::SUCCESSFUL
         : news.ending == RunEnd::refused ? Result::INVALID_GOAL
                                          : Result::PATH_TOLERANCE_VIOLATED;
}

}  // namespace

TrajectoryServer::TrajectoryServer(std::shared_ptr<RunDesk> desk, JointNames joints)
: desk_(std::move(desk)), joints_(std::move(joints))
{
}

void TrajectoryServer::start()
{
  const std::weak_ptr<TrajectoryServer> weak = weak_from_this();
  const auto node = desk_->node();
  follow_server_ = rclcpp_action::create_server<Follow>(
    node, "~/follow_joint_trajectory",
    [](const rclcpp_action::GoalUUID &, std::shared_ptr<const Follow::Goal>) {
      // A rejection could not say why; a goal that cannot be played is aborted with a message.
      return rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE;
    },
    [weak](const Goal goal) {
      const auto self = weak.lock();
      return self && self->cancel(goal) ? rclcpp_action::CancelResponse::ACCEPT
                                        : rclcpp_action::CancelResponse::REJECT;
    },
    [weak](const Goal goal) {
      if (const auto self = weak.lock())
      {
        self->take_goal(goal);
      }
    });
  subscription_ = node->create_subscription<Trajectory>(
    "~/joint_trajectory", rclcpp::SystemDefaultsQoS(),
    [weak](const Trajectory::ConstSharedPtr message) {
      if (const auto self = weak.lock())
      {
        self->take_message(message);
      }
    });
  query_service_ = node->create_service<Query>(
    "~/query_state",
    [weak](
      const std::shared_ptr<Query::Request> request, std::shared_ptr<Query::Response> response) {
      if (const auto self = weak.lock())
      {
        self->answer(*request, *response);
      }
    });
}

RunJob TrajectoryServer::job_of(const Goal & goal)
{
  const std::weak_ptr<TrajectoryServer> weak = weak_from_this();
  RunJob job;
  job.is_withdrawn = [goal]() { return goal->is_canceling(); };
  job.on_begin = [weak, goal](std::uint64_t run) {
    if (const auto self = weak.lock())
    {
      const std::lock_guard lock(self->mutex_);
      self->goal_ = goal;
      self->run_ = run;
    }
  };
  job.on_progress = [weak, goal](const RunNews & news) {
    if (const auto self = weak.lock())
    {
      self->show_progress(goal, news);
    }
  };
  job.on_end = [weak, goal](const RunResult & run) {
    if (const auto self = weak.lock())
    {
      self->finish(goal, run);
    }
  };
  return job;
}

void TrajectoryServer::take_goal(const Goal & goal)
{
  const Refuse refuse = [goal, logger = desk_->node()->get_logger()](
                          int code, const std::string & reason) {
    const auto result = std::make_shared<Result>();
    result->error_code = code;
    result->error_string = "not started: " + reason;
    RCLCPP_ERROR(logger, "%s", result->error_string.c_str());
    goal->is_canceling() ? goal->canceled(result) : goal->abort(result);
  };
  const std::weak_ptr<TrajectoryServer> weak = weak_from_this();
  const bool taken = clerk_.take([weak, goal, refuse]() {
    const auto self = weak.lock();
    if (!self)
    {
      return;
    }
    try
    {
      const RunTolerances tolerances = tolerances_of(*goal->get_goal(), self->joints_);
      Wish wish;
      wish.trajectory = {goal, &goal->get_goal()->trajectory};
      wish.make_job = [weak, goal, tolerances]() {
        const auto server = weak.lock();
        RunJob job = server ? server->job_of(goal) : RunJob{};
        job.tolerances = tolerances;
        return job;
      };
      wish.refuse = refuse;
      self->begin(wish);
    }
    catch (const WrongJoints & error)
    {
      refuse(Result::INVALID_JOINTS, error.what());
    }
  });
  if (!taken)
  {
    refuse(Result::INVALID_GOAL, "too many goals at once");
  }
}

bool TrajectoryServer::cancel(const Goal & goal)
{
  std::unique_lock lock(mutex_);
  const bool playing = goal_ == goal;
  const std::uint64_t run = run_;
  lock.unlock();
  return !playing || desk_->stop(run);  // one that has not begun yet will be withdrawn
}

void TrajectoryServer::show_progress(const Goal & goal, const RunNews & news) const
{
  const auto feedback = std::make_shared<Follow::Feedback>();
  feedback->header.stamp = rclcpp::Time(news.time_ns);
  feedback->joint_names = joints_.names;
  feedback->desired = point_of(news.reference.phi, news.reference.speed, joints_.zero_angle);
  feedback->actual = point_of(news.angle, news.speed, joints_.zero_angle);
  feedback->error = point_of(
    news.reference.phi - news.angle, news.reference.speed - news.speed, Eigen::Vector2d::Zero());
  feedback->desired.time_from_start = rclcpp::Duration::from_seconds(news.plan_time);
  feedback->actual.time_from_start = feedback->desired.time_from_start;
  goal->publish_feedback(feedback);
}

void TrajectoryServer::finish(const Goal & goal, const RunResult & run)
{
  {
    const std::lock_guard lock(mutex_);
    if (goal_ == goal)
    {
      goal_.reset();
      run_ = 0;
    }
  }
  const auto result = std::make_shared<Result>();
  result->error_code = error_code(run.news);
  result->error_string = run.message;
  if (result->error_code == Result::SUCCESSFUL)
  {
    goal->succeed(result);
  }
  else if (run.news.ending == RunEnd::stopped && goal->is_canceling())
  {
    result->error_code = Result::SUCCESSFUL;
    goal->canceled(result);
  }
  else
  {
    goal->abort(result);
  }
}

void TrajectoryServer::take_message(const Trajectory::ConstSharedPtr & message)
{
  std::unique_lock lock(mutex_);
  const std::uint64_t run = run_;
  if (run != 0 && goal_ != nullptr)
  {
    lock.unlock();
    RCLCPP_WARN(desk_->node()->get_logger(), "ignored a trajectory: a goal is being followed");
    return;
  }
  if (message->points.empty())
  {
    waiting_.reset();
    lock.unlock();
    desk_->stop(run);  // it only stops the one before
    return;
  }
  const bool is_first = waiting_ == nullptr;
  waiting_ = message;
  lock.unlock();
  const std::weak_ptr<TrajectoryServer> weak = weak_from_this();
  if (is_first)
  {
    clerk_.take([weak]() {
      if (const auto self = weak.lock())
      {
        self->begin_message();
      }
    });
  }
}

/// The newest counts.
void TrajectoryServer::begin_message()
{
  std::unique_lock lock(mutex_);
  const Trajectory::ConstSharedPtr message = std::move(waiting_);
  waiting_.reset();
  lock.unlock();
  if (!message)
  {
    return;
  }
  const std::weak_ptr<TrajectoryServer> weak = weak_from_this();
  Wish wish;
  wish.trajectory = message;
  wish.make_job = [weak]() {
    RunJob job;
    job.on_begin = [weak](std::uint64_t run) {
      if (const auto self = weak.lock())
      {
        const std::lock_guard begin_lock(self->mutex_);
        self->goal_.reset();
        self->run_ = run;
      }
    };
    job.on_progress = [](const RunNews &) {};
    job.on_end = [weak](const RunResult & result) {
      if (const auto self = weak.lock())
      {
        self->after_message(result.news.run);
      }
    };
    return job;
  };
  wish.refuse = [logger = desk_->node()->get_logger()](int, const std::string & reason) {
    RCLCPP_ERROR(logger, "trajectory refused: %s", reason.c_str());
  };
  begin(wish);
}

void TrajectoryServer::after_message(std::uint64_t run)
{
  const std::lock_guard lock(mutex_);
  // One that was taken over is not the last.
  run_ = goal_ == nullptr && (run == 0 || run_ == run) ? 0 : run_;
}

void TrajectoryServer::answer(const Query::Request & request, Query::Response & response) const
{
  const std::shared_ptr<const LoadedPlan> plan = desk_->running();
  const RunNews news = desk_->last_news();
  const bool moves = news.state == ControlState::playing;
  if (!plan || !moves)
  {
    response.success = false;
    response.message = "nothing is being played";
    return;
  }
  const double since =
    1e-9 * static_cast<double>(rclcpp::Time(request.time).nanoseconds() - news.time_ns);
  const double t = news.plan_time + since;
  if (t < 0.0 || t > plan->playable.duration())
  {
    response.success = false;
    response.message = fmt::format(
      "that is {:.3f} s after the start of '{}', which takes {:.3f} s", t, plan->plan.curve_name,
      plan->playable.duration());
    return;
  }
  constexpr double h = 1e-4;
  std::size_t interval = 0;
  const Reference before = plan->playable.at(t - h, interval);
  const Reference here = plan->playable.at(t, interval);
  const Reference after = plan->playable.at(t + h, interval);
  response.name = joints_.names;
  const Eigen::Vector2d acceleration = (after.speed - before.speed) / (2.0 * h);
  const auto point = point_of(here.phi, here.speed, joints_.zero_angle);
  response.position = point.positions;
  response.velocity = point.velocities;
  response.acceleration = {acceleration[0], acceleration[1]};
  response.success = true;
}

}  // namespace fivebar_control
