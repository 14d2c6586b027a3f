// SPDX-License-Identifier: Apache-2.0
#include "run_desk.hpp"

#include <fmt/core.h>

#include <ctime>

#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/text_file.hpp"

namespace fivebar_control
{

std::string sentence(const RunNews & news)
{
  switch (news.ending)
  {
    case RunEnd::finished:
      return news.tolerance == ToleranceVerdict::goal_missed
               ? "finished, but not within the goal's tolerance"
               : "finished";
    case RunEnd::stopped:
    case RunEnd::aborted:
      if (news.taken_over)
      {
        return "replaced by a newer trajectory";
      }
      return news.tolerance == ToleranceVerdict::path_left
               ? "stopped: further from the reference than the goal's path tolerance"
               : "stopped on request";
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

namespace
{

void close_log_and_tell(
  const rclcpp::Logger & logger, const RunJob & job, RunLog & log, const std::string & file,
  const RunNews & news)
{
  RunResult result{news, sentence(news), file};
  try
  {
    log.finish(news.ending, news.finding.reason);
  }
  catch (const std::exception & error)
  {
    RCLCPP_ERROR(logger, "the run log is lost: %s", error.what());
    result.log.clear();
  }
  job.on_end(result);
}

}  // namespace

RunDesk::RunDesk(
  rclcpp_lifecycle::LifecycleNode::SharedPtr node, std::shared_ptr<Handover> handover,
  const RobotModel & robot, RunSetting setting)
: node_(std::move(node)),
  handover_(std::move(handover)),
  robot_(robot),
  setting_(std::move(setting))
{
}

RunDesk::~RunDesk()
{
  if (log_)
  {
    try
    {
      log_->finish(RunEnd::deactivated, Reason::none);
    }
    catch (const std::exception & error)
    {
      RCLCPP_ERROR(node_->get_logger(), "the run log is lost: %s", error.what());
    }
  }
}

void RunDesk::start()
{
  const std::weak_ptr<RunDesk> weak = weak_from_this();
  diagnostics_ = std::make_unique<diagnostic_updater::Updater>(node_);
  diagnostics_->setHardwareID(robot_.parameters().name);
  diagnostics_->add("feedforward", [weak](diagnostic_updater::DiagnosticStatusWrapper & status) {
    if (const auto self = weak.lock())
    {
      self->diagnose(status);
    }
  });
}

std::shared_ptr<const LoadedPlan> RunDesk::prepare(
  const Plan & plan, const std::string & name) const
{
  std::unique_lock lock(mutex_);
  const ControllerSettings settings = setting_.controller;
  const double period = 1.0 / setting_.rate;
  lock.unlock();
  require_plan_can_be_played(plan, robot_, settings, name);
  LoadedPlan loaded{plan, PlayablePlan(plan.samples), {}};
  loaded.gains = loop_gains_for(robot_, settings, loaded.playable, period);
  return std::make_shared<const LoadedPlan>(std::move(loaded));
}

std::string RunDesk::why_not(const RunJob & job) const
{
  if (!handover_->active)
  {
    return "the controller is not active";
  }
  if (running_ || opening_)
  {
    return "another plan is running: cancel it first";
  }
  return job.plan ? "" : "there is no plan to play: call load_plan first";
}

std::string RunDesk::log_file(const std::string & wanted) const
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
    utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, runs_ + 1);
}

void RunDesk::begin(RunJob job)
{
  std::unique_lock lock(mutex_);
  const std::string reason = why_not(job);
  if (!reason.empty())
  {
    lock.unlock();
    return job.on_refusal(reason);
  }
  opening_ = true;
  const std::string file = log_file(job.log);
  lock.unlock();
  if (file.empty())
  {
    return open_and_push(std::move(job), file);
  }
  const std::weak_ptr<RunDesk> weak = weak_from_this();
  filer_.take([weak, job = std::move(job), file]() {
    if (const auto self = weak.lock())
    {
      self->open_and_push(job, file);
    }
  });
}

void RunDesk::open_and_push(RunJob job, const std::string & file)
{
  std::unique_ptr<RunLog> log;
  std::string reason;
  try
  {
    if (is_pipe_or_device(file))
    {
      throw InputError({file}, "is a pipe or a device, expected a file");
    }
    if (!file.empty())
    {
      std::unique_lock lock(mutex_);
      const RunSetting setting = setting_;
      lock.unlock();
      log = std::make_unique<RunLog>(
        file,
        describe_run(
          job.plan->plan, robot_, setting.controller, setting.hardware, job.mode, setting.rate),
        robot_, false);
    }
  }
  catch (const std::exception & error)
  {
    reason = fmt::format("the log cannot be written: {}", error.what());
  }
  std::unique_lock lock(mutex_);
  opening_ = false;
  reason = reason.empty() ? why_not(job) : reason;
  reason = reason.empty() && job.is_withdrawn() ? "cancelled before it began" : reason;
  RunRequest request;
  request.command = job.align ? ControlCommand::align_and_start : ControlCommand::start;
  request.run = ++runs_;
  request.mode = job.mode;
  request.plan = &job.plan->playable;
  request.gains = job.plan->gains ? &*job.plan->gains : nullptr;
  request.log = log.get();
  request.tolerances = job.tolerances;
  if (reason.empty() && !handover_->requests.push(request))
  {
    reason = "the real-time side does not listen";
  }
  if (!reason.empty())
  {
    lock.unlock();
    return job.on_refusal(reason);
  }
  run_ = request.run;
  log_ = std::move(log);
  log_file_ = file;
  stop_requested_ = false;
  running_ = std::move(job);
  RCLCPP_INFO(node_->get_logger(), "playing '%s'", running_->plan->plan.curve_name.c_str());
  if (running_->on_begin)
  {
    running_->on_begin(run_);
  }
}

bool RunDesk::stop(std::uint64_t run)
{
  const std::lock_guard lock(mutex_);
  if (!running_ || run != run_)
  {
    return false;
  }
  RunRequest request;
  request.command = ControlCommand::stop;
  request.run = run_;
  stop_requested_ = stop_requested_ || handover_->requests.push(request);
  return stop_requested_;
}

void RunDesk::monitor()
{
  // In this order: what was reported before the deactivation has been read when it is noticed.
  const bool active = handover_->active;
  RunNews news;
  while (handover_->news.pop(news))
  {
    std::unique_lock lock(mutex_);
    if (next_ && news.ended && news.run == next_run_)
    {
      lock.unlock();
      miss_next();
      continue;
    }
    last_news_ = news;
    if (running_ && news.run == run_)
    {
      const auto on_progress = running_->on_progress;
      lock.unlock();
      news.ended ? end(news) : on_progress(news);
    }
    else if (news.ended && news.ending == RunEnd::fault && last_fault_ != sentence(news))
    {
      // Idle is guarded as well; nobody waits for a result then.
      last_fault_ = sentence(news);
      RCLCPP_ERROR(node_->get_logger(), "%s", last_fault_.c_str());
    }
  }
  if (!active && !handover_->active && is_busy())
  {
    news = RunNews{};
    news.ending = RunEnd::deactivated;
    end(news);
    miss_next();
  }
}

void RunDesk::end(const RunNews & news)
{
  std::unique_lock lock(mutex_);
  if (!running_)
  {
    return;
  }
  RunJob job = std::move(*running_);
  running_.reset();
  std::unique_ptr<RunLog> log = std::move(log_);
  const std::string file = log_file_;
  const std::string message = sentence(news);
  last_fault_ = news.ending == RunEnd::fault ? message : "";
  const std::function<void()> begin_next = news.taken_over ? promote_next() : nullptr;
  lock.unlock();
  if (begin_next)
  {
    begin_next();
  }
  const std::string text = fmt::format("'{}': {}", job.plan->plan.curve_name, message);
  const bool as_wanted = news.ending == RunEnd::finished || news.ending == RunEnd::stopped;
  if (news.taken_over)
  {
    RCLCPP_DEBUG(node_->get_logger(), "%s", text.c_str());  // as often as somebody moves a slider
  }
  else if (as_wanted && news.tolerance == ToleranceVerdict::kept)
  {
    RCLCPP_INFO(node_->get_logger(), "%s", text.c_str());
  }
  else
  {
    RCLCPP_ERROR(node_->get_logger(), "%s", text.c_str());
  }
  if (!log)
  {
    return job.on_end({news, message, ""});
  }
  // Done even where this desk is cleared meanwhile: the log of a run must not be lost.
  const std::shared_ptr<RunLog> shared = std::move(log);
  filer_.take([logger = node_->get_logger(), shared, job, file, news]() {
    close_log_and_tell(logger, job, *shared, file, news);
  });
}

void RunDesk::set_controller(const ControllerSettings & settings)
{
  const std::lock_guard lock(mutex_);
  setting_.controller = settings;
}

bool RunDesk::is_busy() const
{
  const std::lock_guard lock(mutex_);
  return running_.has_value();
}

RunNews RunDesk::last_news() const
{
  const std::lock_guard lock(mutex_);
  return last_news_;
}

std::shared_ptr<const LoadedPlan> RunDesk::running() const
{
  const std::lock_guard lock(mutex_);
  return running_ ? running_->plan : nullptr;
}

void RunDesk::set_loaded_name(const std::string & name)
{
  const std::lock_guard lock(mutex_);
  loaded_name_ = name;
}

void RunDesk::diagnose(diagnostic_updater::DiagnosticStatusWrapper & status) const
{
  using Level = diagnostic_msgs::msg::DiagnosticStatus;
  const std::lock_guard lock(mutex_);
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
  const FeedbackGains & gains = setting_.controller.gains;
  status.add("plan", loaded_name_);
  status.add("state", to_string(last_news_.state));
  status.add("late cycles", last_news_.late_cycles);
  status.add("last fault", last_fault_.empty() ? "none" : last_fault_);
  status.add("feedback", to_string(gains.method));
  status.addf("kp, kd, ki", "%g, %g, %g", gains.kp, gains.kd, gains.ki);
  if (gains.method == FeedbackMethod::mpc)
  {
    status.add("cycles with a limit in the way of the horizon", last_news_.bounded_horizons);
    status.add("of these not finished in time", last_news_.unfinished_horizons);
  }
}

}  // namespace fivebar_control
