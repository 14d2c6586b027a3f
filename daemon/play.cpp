// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/play.hpp"

#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <stdexcept>

#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/runs/run_log.hpp"
#include "fivebar_control/simulation/simulated_robot.hpp"

namespace fivebar_control
{
namespace
{

/// Gives each record to both.
class BothSinks : public RecordSink
{
public:
  BothSinks(RecordSink & first, RecordSink & second) : first_(first), second_(second) {}
  void take(const CycleRecord & record) noexcept override
  {
    first_.take(record);
    second_.take(record);
  }

private:
  RecordSink & first_;
  RecordSink & second_;
};

std::int64_t period_of(double rate)
{
  if (!(rate >= 50.0 && rate <= 20000.0))
  {
    throw InputError::of(
      "rate", fmt::format("expected a number from 50 to 20000 Hz, got {}", rate));
  }
  return static_cast<std::int64_t>(std::llround(1e9 / rate));
}

}  // namespace

std::optional<ControlMode> control_mode_named(const std::string & name)
{
  for (const ControlMode mode :
       {ControlMode::feedforward_and_feedback, ControlMode::feedback_only,
        ControlMode::feedforward_only})
  {
    if (name == to_string(mode))
    {
      return mode;
    }
  }
  return std::nullopt;
}

RunRecord play(
  const RobotModel & robot, const Plan & plan, const std::string & name,
  const PlaySettings & settings)
{
  const std::int64_t period_ns = period_of(settings.rate);
  require_plan_can_be_played(plan, robot, settings.controller, name);
  const PlayablePlan playable(plan.samples);
  const Experiment experiment{robot, playable, settings.controller, period_ns, settings.engine};
  const std::string hardware =
    SimulatedRobot(
      settings.engine(robot, settings.plant), settings.plant, playable.start(), period_ns)
      .description();
  const RunDescription description =
    describe_run(plan, robot, settings.controller, hardware, settings.mode, settings.rate, true);
  RecordKeeper keeper(robot);
  ExperimentResult result;
  if (settings.log.empty())
  {
    result = run_experiment(experiment, settings.plant, settings.mode, &keeper);
  }
  else
  {
    RunLog log(settings.log, description, robot, true);
    BothSinks both(keeper, log);
    result = run_experiment(experiment, settings.plant, settings.mode, &both);
    log.finish(result.outcome.end, result.outcome.finding.reason);
  }
  RunRecord run = keeper.finish(description, result.outcome.end, result.outcome.finding.reason);
  if (!settings.log.empty())
  {
    run.file = settings.log;
  }
  return run;
}

}  // namespace fivebar_control
