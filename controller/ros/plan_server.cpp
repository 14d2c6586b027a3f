// SPDX-License-Identifier: Apache-2.0
#include "plan_server.hpp"

#include <fmt/core.h>

#include "controller_messages.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/text_file.hpp"

namespace fivebar_control
{
namespace
{

using Result = fivebar_control::action::ExecutePlan::Result;

std::uint8_t result_of(RunEnd end)
{
  switch (end)
  {
    case RunEnd::finished:
      return Result::FINISHED;
    case RunEnd::stopped:
    case RunEnd::aborted:
      return Result::STOPPED;
    case RunEnd::refused:
      return Result::REFUSED;
    case RunEnd::fault:
    case RunEnd::hardware_fault:
      return Result::FAULT;
    case RunEnd::deactivated:
      return Result::DEACTIVATED;
  }
  return Result::FAULT;
}

using Goal = fivebar_control::action::ExecutePlan::Goal;
static_assert(
  Goal::FEEDFORWARD_AND_FEEDBACK == static_cast<int>(ControlMode::feedforward_and_feedback));
static_assert(Goal::FEEDBACK_ONLY == static_cast<int>(ControlMode::feedback_only));
static_assert(Goal::FEEDFORWARD_ONLY == static_cast<int>(ControlMode::feedforward_only));

/// A plan that arrives over the network or from its disk is no larger; the largest that the planner
/// makes has 100,001 rows, about 18 MB.
constexpr std::size_t largest_plan = 64'000'000;

Plan read_plan(const std::string & path)
{
  return parse_plan(read_regular_text_file(path, largest_plan), path);
}

}  // namespace

PlanServer::PlanServer(std::shared_ptr<RunDesk> desk) : desk_(std::move(desk)) {}

void PlanServer::start()
{
  const std::weak_ptr<PlanServer> weak = weak_from_this();
  const auto node = desk_->node();
  load_service_ = node->create_service<LoadPlan>(
    "~/load_plan", [weak](
                     const rclcpp::Service<LoadPlan>::SharedPtr service,
                     const std::shared_ptr<rmw_request_id_t> caller,
                     const std::shared_ptr<LoadPlan::Request> request) {
      if (const auto self = weak.lock())
      {
        self->take_request(service, caller, request);
      }
    });
  execute_server_ = rclcpp_action::create_server<ExecutePlan>(
    node, "~/execute_plan",
    [](const rclcpp_action::GoalUUID &, std::shared_ptr<const ExecutePlan::Goal>) {
      // A rejection could not say why; a goal that cannot be played is aborted with a message.
      return rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE;
    },
    [weak](const PlanServer::Goal goal) {
      const auto self = weak.lock();
      return self && self->cancel(goal) ? rclcpp_action::CancelResponse::ACCEPT
                                        : rclcpp_action::CancelResponse::REJECT;
    },
    [weak](const PlanServer::Goal goal) {
      if (const auto self = weak.lock())
      {
        self->begin(goal);
      }
    });
}

void PlanServer::take(const std::shared_ptr<const LoadedPlan> & plan)
{
  desk_->set_loaded_name(plan->plan.curve_name);
  const std::lock_guard lock(mutex_);
  loaded_ = plan;
}

std::shared_ptr<const LoadedPlan> PlanServer::loaded() const
{
  const std::lock_guard lock(mutex_);
  return loaded_;
}

void PlanServer::load(const std::string & path) { take(desk_->prepare(read_plan(path), path)); }

void PlanServer::take_request(
  const rclcpp::Service<LoadPlan>::SharedPtr & service,
  const std::shared_ptr<rmw_request_id_t> & caller,
  const std::shared_ptr<LoadPlan::Request> & request)
{
  const std::weak_ptr<PlanServer> weak = weak_from_this();
  const bool taken = loader_.take([weak, service, caller, request]() {
    if (const auto self = weak.lock())
    {
      LoadPlan::Response response = self->answer(*request);
      service->send_response(*caller, response);
    }
  });
  if (!taken)
  {
    LoadPlan::Response response;
    response.message = "load_plan: other plans are still being loaded; does their disk answer?";
    service->send_response(*caller, response);
  }
}

PlanServer::LoadPlan::Response PlanServer::answer(const LoadPlan::Request & request)
{
  const rclcpp::Logger logger = desk_->node()->get_logger();
  LoadPlan::Response response;
  try
  {
    if (request.path.empty() == request.content.empty())
    {
      throw InputError("load_plan: expected either a path or a content");
    }
    const std::string file = request.path.empty() ? "content" : request.path;
    const auto plan = desk_->prepare(
      request.path.empty() ? parse_plan(request.content, file) : read_plan(request.path), file);
    take(plan);
    response.success = true;
    response.name = plan->plan.curve_name;
    response.duration = plan->playable.duration();
    response.message = fmt::format("loaded '{}', {:.4g} s", response.name, response.duration);
    RCLCPP_INFO(logger, "%s", response.message.c_str());
  }
  catch (const std::exception & error)
  {
    response.success = false;
    response.message = error.what();
    RCLCPP_ERROR(logger, "plan refused: %s", error.what());
  }
  return response;
}

void PlanServer::refuse(const Goal & goal, const std::string & message) const
{
  const auto result = std::make_shared<ExecutePlan::Result>();
  result->end = Result::REFUSED;
  result->message = "not started: " + message;
  RCLCPP_ERROR(desk_->node()->get_logger(), "%s", result->message.c_str());
  goal->is_canceling() ? goal->canceled(result) : goal->abort(result);
}

void PlanServer::begin(const Goal & goal)
{
  const ExecutePlan::Goal & wanted = *goal->get_goal();
  if (wanted.mode > ExecutePlan::Goal::FEEDFORWARD_ONLY)
  {
    return refuse(goal, fmt::format("unknown mode {}", wanted.mode));
  }
  const std::weak_ptr<PlanServer> weak = weak_from_this();
  RunJob job;
  job.plan = loaded();
  job.mode = static_cast<ControlMode>(wanted.mode);
  job.align = wanted.align;
  job.log = wanted.log;
  job.is_withdrawn = [goal]() { return goal->is_canceling(); };
  job.on_refusal = [weak, goal](const std::string & reason) {
    if (const auto self = weak.lock())
    {
      self->refuse(goal, reason);
    }
  };
  job.on_begin = [weak, goal](std::uint64_t run) {
    if (const auto self = weak.lock())
    {
      const std::lock_guard lock(self->mutex_);
      self->runs_[goal.get()] = run;
    }
  };
  const double duration = job.plan ? job.plan->playable.duration() : 0.0;
  job.on_progress = [goal, duration](const RunNews & news) {
    const auto feedback = std::make_shared<ExecutePlan::Feedback>();
    feedback->state = static_cast<std::uint8_t>(news.state);
    feedback->time = news.plan_time;
    feedback->duration = duration;
    feedback->error = as_array(news.reference.phi - news.angle);
    feedback->volts = as_array(news.volts);
    goal->publish_feedback(feedback);
  };
  job.on_end = [weak, goal](const RunResult & run) {
    if (const auto self = weak.lock())
    {
      self->finish(goal, run);
    }
  };
  desk_->begin(std::move(job));
}

bool PlanServer::cancel(const Goal & goal)
{
  std::unique_lock lock(mutex_);
  const auto found = runs_.find(goal.get());
  if (found == runs_.end())
  {
    return true;  // its log is still being opened: it will be withdrawn
  }
  const std::uint64_t run = found->second;
  lock.unlock();
  return desk_->stop(run);
}

void PlanServer::finish(const Goal & goal, const RunResult & run)
{
  const RunNews & news = run.news;
  const auto result = std::make_shared<ExecutePlan::Result>();
  result->end = result_of(news.ending);
  result->message = run.message;
  result->volts = as_array(news.volts);
  result->ise = news.score.ise;
  result->largest_error = news.score.largest_error;
  result->feedback_rms = news.score.feedback_rms;
  result->largest_volts = news.score.largest_volts;
  result->cycles = static_cast<std::uint64_t>(news.score.cycles);
  result->late_cycles = news.late_cycles;
  result->log = run.log;
  {
    const std::lock_guard lock(mutex_);
    runs_.erase(goal.get());
  }
  if (news.ending == RunEnd::finished)
  {
    goal->succeed(result);
  }
  else if (news.ending == RunEnd::stopped && goal->is_canceling())
  {
    goal->canceled(result);
  }
  else
  {
    goal->abort(result);
  }
}

}  // namespace fivebar_control
