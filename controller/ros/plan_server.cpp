// SPDX-License-Identifier: Apache-2.0
#include "plan_server.hpp"

#include <fmt/core.h>

#include <chrono>
#include <ctime>

#include "controller_messages.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/errors.hpp"

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

std::string sentence(const RunNews & news)
{
  switch (news.ending)
  {
    case RunEnd::finished:
      return "finished";
    case RunEnd::stopped:
    case RunEnd::aborted:
      return "stopped on request";
    case RunEnd::refused:
      return fmt::format(
        "not started: {} [{}]", describe(news.finding), to_string(news.finding.reason));
    case RunEnd::fault:
    case RunEnd::hardware_fault:
      return fmt::format(
        "stopped by the guard: {} [{}]", describe(news.finding), to_string(news.finding.reason));
    case RunEnd::deactivated:
      return "the controller was deactivated";
  }
  return "unknown";
}

}  // namespace

PlanServer::PlanServer(
  rclcpp_lifecycle::LifecycleNode::SharedPtr node, std::shared_ptr<Handover> handover,
  const RobotModel & robot, RunSetting setting)
: node_(std::move(node)),
  handover_(std::move(handover)),
  robot_(robot),
  setting_(std::move(setting))
{
}

PlanServer::~PlanServer() { close_log(RunEnd::deactivated, Reason::none); }

void PlanServer::start(double monitor_rate)
{
  const std::weak_ptr<PlanServer> weak = weak_from_this();
  load_service_ = node_->create_service<LoadPlan>(
    "~/load_plan", [weak](
                     const std::shared_ptr<LoadPlan::Request> request,
                     std::shared_ptr<LoadPlan::Response> response) {
      if (const auto self = weak.lock())
      {
        self->answer(*request, *response);
      }
    });
  execute_server_ = rclcpp_action::create_server<ExecutePlan>(
    node_, "~/execute_plan",
    [](const rclcpp_action::GoalUUID &, std::shared_ptr<const ExecutePlan::Goal>) {
      // A rejection could not say why; a goal that cannot be played is aborted with a message.
      return rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE;
    },
    [weak](const std::shared_ptr<GoalHandle> goal) {
      const auto self = weak.lock();
      return self && self->cancel(goal) ? rclcpp_action::CancelResponse::ACCEPT
                                        : rclcpp_action::CancelResponse::REJECT;
    },
    [weak](const std::shared_ptr<GoalHandle> goal) {
      if (const auto self = weak.lock())
      {
        self->begin(goal);
      }
    });
  timer_ = node_->create_wall_timer(std::chrono::duration<double>(1.0 / monitor_rate), [weak]() {
    if (const auto self = weak.lock())
    {
      self->monitor();
    }
  });
  diagnostics_ = std::make_unique<diagnostic_updater::Updater>(node_);
  diagnostics_->setHardwareID(robot_.parameters().name);
  diagnostics_->add("feedforward", [weak](diagnostic_updater::DiagnosticStatusWrapper & status) {
    if (const auto self = weak.lock())
    {
      self->diagnose(status);
    }
  });
}

void PlanServer::take(const Plan & plan, const std::string & file)
{
  require_plan_fits(plan, robot_, file);
  loaded_ = std::make_shared<const LoadedPlan>(LoadedPlan{plan, PlayablePlan(plan.samples)});
}

void PlanServer::load(const std::string & path) { take(load_plan(path), path); }

void PlanServer::answer(const LoadPlan::Request & request, LoadPlan::Response & response)
{
  try
  {
    if (request.path.empty() == request.content.empty())
    {
      throw InputError("load_plan: expected either a path or a content");
    }
    const std::string file = request.path.empty() ? "content" : request.path;
    take(request.path.empty() ? parse_plan(request.content, file) : load_plan(request.path), file);
    response.success = true;
    response.name = loaded_->plan.curve_name;
    response.duration = loaded_->playable.duration();
    response.message = fmt::format("loaded '{}', {:.4g} s", response.name, response.duration);
    RCLCPP_INFO(node_->get_logger(), "%s", response.message.c_str());
  }
  catch (const std::exception & error)
  {
    response.success = false;
    response.message = error.what();
    RCLCPP_ERROR(node_->get_logger(), "plan refused: %s", error.what());
  }
}

void PlanServer::refuse(const std::shared_ptr<GoalHandle> & goal, const std::string & message)
{
  const auto result = std::make_shared<ExecutePlan::Result>();
  result->end = Result::REFUSED;
  result->message = "not started: " + message;
  RCLCPP_ERROR(node_->get_logger(), "%s", result->message.c_str());
  goal->abort(result);
}

std::string PlanServer::log_file(const std::string & wanted) const
{
  if (!wanted.empty() || setting_.log_directory.empty())
  {
    return wanted;
  }
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format(
    "{}/{:04}{:02}{:02}T{:02}{:02}{:02}Z_run{}.log.csv", setting_.log_directory, utc.tm_year + 1900,
    utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, run_ + 1);
}

void PlanServer::open_log(const std::string & path, ControlMode mode)
{
  log_file_ = path;
  if (!path.empty())
  {
    log_ = std::make_unique<RunLog>(
      path,
      describe_run(
        loaded_->plan, robot_, setting_.controller, setting_.hardware, mode, setting_.rate),
      robot_, false);
  }
}

std::string PlanServer::close_log(RunEnd end, Reason reason)
{
  const std::unique_ptr<RunLog> log = std::move(log_);
  if (!log)
  {
    return {};
  }
  try
  {
    log->finish(end, reason);
    return log_file_;
  }
  catch (const std::exception & error)
  {
    RCLCPP_ERROR(node_->get_logger(), "the run log is lost: %s", error.what());
    return {};
  }
}

void PlanServer::begin(const std::shared_ptr<GoalHandle> & goal)
{
  if (!handover_->active)
  {
    return refuse(goal, "the controller is not active");
  }
  if (goal_)
  {
    return refuse(goal, "another plan is running: cancel it first");
  }
  if (!loaded_)
  {
    return refuse(goal, "there is no plan to play: call load_plan first");
  }
  if (goal->get_goal()->mode > Goal::FEEDFORWARD_ONLY)
  {
    return refuse(goal, fmt::format("unknown mode {}", goal->get_goal()->mode));
  }
  RunRequest request;
  request.command =
    goal->get_goal()->align ? ControlCommand::align_and_start : ControlCommand::start;
  request.run = ++run_;
  request.mode = static_cast<ControlMode>(goal->get_goal()->mode);
  request.plan = &loaded_->playable;
  try
  {
    open_log(log_file(goal->get_goal()->log), request.mode);
  }
  catch (const std::exception & error)
  {
    return refuse(goal, fmt::format("the log cannot be written: {}", error.what()));
  }
  request.log = log_.get();
  if (!handover_->requests.push(request))
  {
    log_.reset();
    return refuse(goal, "the real-time side does not listen");
  }
  goal_ = goal;
  running_ = loaded_;
  stop_requested_ = false;
  RCLCPP_INFO(node_->get_logger(), "playing '%s'", running_->plan.curve_name.c_str());
}

bool PlanServer::cancel(const std::shared_ptr<GoalHandle> & goal)
{
  if (goal_ != goal)
  {
    return false;
  }
  RunRequest request;
  request.command = ControlCommand::stop;
  request.run = run_;
  stop_requested_ = stop_requested_ || handover_->requests.push(request);
  return stop_requested_;
}

void PlanServer::monitor()
{
  // In this order: what was reported before the deactivation has been read when it is noticed.
  const bool active = handover_->active;
  RunNews news;
  while (handover_->news.pop(news))
  {
    last_news_ = news;
    if (goal_ && news.run == run_)
    {
      news.ended ? finish(news) : show_progress(news);
    }
    else if (news.ended && news.ending == RunEnd::fault && last_fault_ != sentence(news))
    {
      // Idle is guarded as well; nobody waits for a result then.
      last_fault_ = sentence(news);
      RCLCPP_ERROR(node_->get_logger(), "%s", last_fault_.c_str());
    }
  }
  if (goal_ && !active)
  {
    news = RunNews{};
    news.ending = RunEnd::deactivated;
    finish(news);
  }
}

void PlanServer::show_progress(const RunNews & news)
{
  const auto feedback = std::make_shared<ExecutePlan::Feedback>();
  feedback->state = static_cast<std::uint8_t>(news.state);
  feedback->time = news.plan_time;
  feedback->duration = running_->playable.duration();
  feedback->error = as_array(news.error);
  feedback->volts = as_array(news.volts);
  goal_->publish_feedback(feedback);
}

void PlanServer::finish(const RunNews & news)
{
  const auto result = std::make_shared<ExecutePlan::Result>();
  result->end = result_of(news.ending);
  result->message = sentence(news);
  result->volts = as_array(news.volts);
  result->ise = news.score.ise;
  result->largest_error = news.score.largest_error;
  result->feedback_rms = news.score.feedback_rms;
  result->largest_volts = news.score.largest_volts;
  result->cycles = static_cast<std::uint64_t>(news.score.cycles);
  result->late_cycles = news.late_cycles;
  result->log = close_log(news.ending, news.finding.reason);
  const std::shared_ptr<GoalHandle> goal = std::move(goal_);
  goal_.reset();
  running_.reset();
  last_fault_ = news.ending == RunEnd::fault ? result->message : "";
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
    RCLCPP_ERROR(node_->get_logger(), "%s", result->message.c_str());
    goal->abort(result);
  }
}

void PlanServer::diagnose(diagnostic_updater::DiagnosticStatusWrapper & status) const
{
  using Level = diagnostic_msgs::msg::DiagnosticStatus;
  const bool healthy = handover_->active && last_news_.state != ControlState::fault;
  if (!last_fault_.empty() && !healthy)
  {
    status.summary(Level::ERROR, last_fault_);
  }
  else if (last_news_.late_cycles > 0)
  {
    status.summary(Level::WARN, "there were late cycles");
  }
  else
  {
    status.summary(Level::OK, handover_->active ? to_string(last_news_.state) : "inactive");
  }
  status.add("plan", loaded_ ? loaded_->plan.curve_name : "none");
  status.add("state", to_string(last_news_.state));
  status.add("late cycles", last_news_.late_cycles);
  status.add("last fault", last_fault_.empty() ? "none" : last_fault_);
}

}  // namespace fivebar_control
