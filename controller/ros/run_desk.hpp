// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <diagnostic_updater/diagnostic_updater.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <rclcpp_lifecycle/lifecycle_node.hpp>
#include <string>

#include "clerk.hpp"
#include "fivebar_control/controller/loop_gains.hpp"
#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/plan/plan.hpp"
#include "fivebar_control/runs/run_log.hpp"
#include "handover.hpp"

namespace fivebar_control
{

/// What the runs have in common.
struct RunSetting
{
  ControllerSettings controller;
  std::string hardware;
  double rate = 0.0;          ///< Hz
  std::string log_directory;  ///< for runs that name no log; empty: none
};

/// A plan with all that playing it needs.
struct LoadedPlan
{
  Plan plan;
  PlayablePlan playable;
  std::optional<LoopGains> gains;
};

/// How a run ended, for whoever asked for it.
struct RunResult
{
  RunNews news;
  std::string message;  ///< a sentence
  std::string log;      ///< file; empty: none
};

/// A run that somebody asks for. The functions are called from threads of ours, never at once.
struct RunJob
{
  std::shared_ptr<const LoadedPlan> plan;
  ControlMode mode = ControlMode::feedforward_and_feedback;
  bool align = false;
  std::string log;
  RunTolerances tolerances;
  /// Asked when all is ready; true: not wanted any more.
  std::function<bool()> is_withdrawn = []() { return false; };
  std::function<void(const std::string & reason)> on_refusal;  ///< it was never begun
  /// It was to take over another run, and came too late.
  std::function<void()> on_missed = []() {};
  std::function<void(std::uint64_t run)> on_begin;
  std::function<void(const RunNews & news)> on_progress;
  std::function<void(const RunResult & result)> on_end;
};

/// The one place outside the real-time loop that starts and stops runs: whoever plays a plan or a
/// trajectory asks here. One run at a time. Talks to the loop through the Handover only.
class RunDesk : public std::enable_shared_from_this<RunDesk>
{
public:
  RunDesk(
    rclcpp_lifecycle::LifecycleNode::SharedPtr node, std::shared_ptr<Handover> handover,
    const RobotModel & robot, RunSetting setting);
  ~RunDesk();

  /// After construction, because the callbacks hold weak pointers to this object.
  void start();

  /// Checks a plan and makes it ready; throws InputError.
  std::shared_ptr<const LoadedPlan> prepare(const Plan & plan, const std::string & name) const;
  /// Either on_refusal or on_begin follows, at once or, where a log has to be opened, soon.
  void begin(RunJob job);
  /// The job goes on from that run when its plan is at `at_ns`, without a halt and without a log;
  /// its plan must begin there. Either on_begin or on_missed follows.
  void take_over(std::uint64_t run, std::int64_t at_ns, RunJob job);
  /// A run and how it goes, for whoever wants to take it over; none if there is no news of it yet,
  /// or if somebody is about to take it over.
  struct Playing
  {
    std::uint64_t run = 0;
    std::shared_ptr<const LoadedPlan> plan;
    RunNews news;
  };
  std::optional<Playing> playing() const;
  /// False if that run is not running.
  bool stop(std::uint64_t run);
  /// Passes on what the real-time side has to tell.
  void monitor();

  void set_controller(const ControllerSettings & settings);
  bool is_active() const { return handover_->active; }
  bool is_busy() const;
  RunNews last_news() const;
  /// What is being played; null if nothing is.
  std::shared_ptr<const LoadedPlan> running() const;
  const RobotModel & robot() const { return robot_; }
  const rclcpp_lifecycle::LifecycleNode::SharedPtr & node() const { return node_; }
  /// For diagnostics: the plan that waits to be played.
  void set_loaded_name(const std::string & name);

private:
  std::string why_not(const RunJob & job) const;
  std::string log_file(const std::string & wanted) const;
  void open_and_push(RunJob job, const std::string & log);
  void end(const RunNews & news);
  /// With mutex_ locked; what is returned is to be called without.
  std::function<void()> promote_next();
  void miss_next();
  void diagnose(diagnostic_updater::DiagnosticStatusWrapper & status) const;

  rclcpp_lifecycle::LifecycleNode::SharedPtr node_;
  std::shared_ptr<Handover> handover_;
  RobotModel robot_;

  mutable std::mutex mutex_;
  RunSetting setting_;
  bool opening_ = false;           ///< a log, for the next run
  std::optional<RunJob> running_;  ///< what the real-time side may be reading
  std::optional<RunJob> next_;     ///< goes on from it; read by the real-time side as well
  std::uint64_t next_run_ = 0;
  std::uint64_t runs_ = 0;       ///< that have got a number
  std::unique_ptr<RunLog> log_;  ///< what the real-time side may be writing to
  std::string log_file_;
  std::uint64_t run_ = 0;
  bool stop_requested_ = false;
  RunNews last_news_;
  std::string last_fault_;
  std::string loaded_name_ = "none";

  std::unique_ptr<diagnostic_updater::Updater> diagnostics_;
  Clerk filer_;  ///< opens and closes logs
};

/// What the end of a run is in words.
std::string sentence(const RunNews & news);

}  // namespace fivebar_control
