// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "fivebar_control/controller/control_core.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/simulation/simulated_robot.hpp"
#include "fivebar_control/support/errors.hpp"

// The cost of one control update (player, law, guard, state machine) while a plan plays, with
// angles recorded from the simulated robot.

namespace fivebar_control
{
namespace
{

constexpr std::int64_t period_ns = 1'000'000;

std::string config(const std::string & name)
{
  return std::string(FIVEBAR_SOURCE_DIR) + "/config/" + name;
}

RobotModel within(const RobotModel & robot, double volts)
{
  RobotParameters parameters = robot.parameters();
  parameters.limits.voltage = volts;
  return RobotModel(parameters);
}

struct Recording
{
  Recording()
  : robot(load_robot(config("robot.yaml"))),
    weak(within(robot, 2.0)),
    settings(load_controller_settings(config("controller.yaml"))),
    observing(load_controller_settings(config("controller_tvlqr.yaml"))),
    ahead(observing),
    plan(make_plan(robot, load_plan_request(config("curves/b.yaml"))).plan.samples),
    bounded_plan(make_plan(robot, load_plan_request(config("curves/c.yaml"))).plan.samples),
    gains(loop_gains_for(robot, observing, plan, 1e-9 * static_cast<double>(period_ns)))
  {
    inputs = record(make_core(settings), plan);
    observed_inputs = record(make_observing_core(), plan);
    ahead.gains.method = FeedbackMethod::mpc;
    widen_following(ahead.guard);
    ahead.guard.switch_off(Reason::saturation);
    ahead_gains = loop_gains_for(weak, ahead, bounded_plan, 1e-9 * static_cast<double>(period_ns));
    ahead_inputs = record(make_ahead_core(), bounded_plan);
  }
  /// What this controller sees when it plays the plan: another one's angles would look implausible
  /// to its guard.
  std::vector<ControlInput> record(ControlCore core, const PlayablePlan & played) const
  {
    SimulatedRobot hardware(
      robot, load_plant(config("plants/mismatched.yaml")), played.start(), period_ns);
    hardware.open();
    hardware.arm();
    std::vector<ControlInput> seen;
    for (int cycle = 0; core.state() != ControlState::idle || cycle == 0; ++cycle)
    {
      MotorSample sample;
      hardware.read(sample);
      ControlInput input;
      input.time_ns = sample.time_ns;
      input.sample_time_ns = sample.time_ns;
      input.angle = hardware.encoder().angle(sample);
      input.command = cycle == 0 ? ControlCommand::start : ControlCommand::none;
      const ControlOutput output = core.update(input);
      if (core.state() == ControlState::fault)
      {
        throw InternalError("the recorded run was stopped by the guard");
      }
      hardware.write(output.volts);
      seen.push_back(input);
    }
    return seen;
  }
  /// With an observer and gains along the plan.
  ControlCore make_observing_core() const
  {
    ControlCore core(robot, observing, ControlMode::feedforward_and_feedback, period_ns);
    core.set_plan(&plan, &*gains);
    return core;
  }
  /// Looking ahead over 50 cycles, on curve C within the 2 V that it was planned for: limits are
  /// in the way in most cycles.
  ControlCore make_ahead_core() const
  {
    ControlCore core(weak, ahead, ControlMode::feedforward_and_feedback, period_ns);
    core.set_plan(&bounded_plan, &*ahead_gains);
    return core;
  }
  ControlCore make_core(const ControllerSettings & with) const
  {
    ControlCore core(robot, with, ControlMode::feedforward_and_feedback, period_ns);
    core.set_plan(&plan);
    return core;
  }

  RobotModel robot;
  RobotModel weak;
  ControllerSettings settings, observing, ahead;
  PlayablePlan plan, bounded_plan;
  std::optional<LoopGains> gains, ahead_gains;
  std::vector<ControlInput> inputs, observed_inputs, ahead_inputs;
};

const Recording & recording()
{
  static const Recording instance;
  return instance;
}

/// Times of single updates in ns over whole runs; the cost of reading the clock is in them.
template <class MakeCore>
std::vector<double> update_times(
  const MakeCore & make_core, const std::vector<ControlInput> & inputs, int runs)
{
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  times.reserve(inputs.size() * static_cast<std::size_t>(runs));
  for (int run = 0; run < runs; ++run)
  {
    ControlCore core = make_core();
    for (const ControlInput & input : inputs)
    {
      const auto begin = Clock::now();
      ControlOutput output = core.update(input);
      benchmark::DoNotOptimize(output);
      times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
    }
  }
  return times;
}

void with_bar(benchmark::State & state, double microseconds, double bar)
{
  state.counters["us/update"] = microseconds;
  state.counters["bar"] = bar;
}

ControlCore plain_core() { return recording().make_core(recording().settings); }
ControlCore observing_core() { return recording().make_observing_core(); }

void UpdateMedian(benchmark::State & state)
{
  std::vector<double> times;
  for (auto _ : state)
  {
    times = update_times(plain_core, recording().inputs, 20);
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  with_bar(state, 1e-3 * *middle, 0.4);
}
BENCHMARK(UpdateMedian)->Iterations(1)->Unit(benchmark::kMillisecond);

/// velocity.method kalman and feedback.method tvlqr.
void ObservingUpdateMedian(benchmark::State & state)
{
  std::vector<double> times;
  for (auto _ : state)
  {
    times = update_times(observing_core, recording().observed_inputs, 20);
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  with_bar(state, 1e-3 * *middle, 1.0);
}
BENCHMARK(ObservingUpdateMedian)->Iterations(1)->Unit(benchmark::kMillisecond);

/// feedback.method mpc with a horizon of 50 cycles: the ninety-ninth percentile of whole runs, the
/// least of several, so that a neighbour on the machine does not count.
void AheadUpdate99(benchmark::State & state)
{
  const auto make = [] { return recording().make_ahead_core(); };
  double least = 1e12;
  for (auto _ : state)
  {
    for (int run = 0; run < 10; ++run)
    {
      std::vector<double> times = update_times(make, recording().ahead_inputs, 1);
      const auto high = times.begin() + static_cast<std::ptrdiff_t>(times.size() * 99 / 100);
      std::nth_element(times.begin(), high, times.end());
      least = std::min(least, *high);
    }
  }
  with_bar(state, 1e-3 * least, 100.0);
}
BENCHMARK(AheadUpdate99)->Iterations(1)->Unit(benchmark::kMillisecond);

void UpdateMean(benchmark::State & state)
{
  double mean = 0.0;
  for (auto _ : state)
  {
    const std::vector<double> times = update_times(plain_core, recording().inputs, 20);
    for (const double time : times)
    {
      mean += time / static_cast<double>(times.size());
    }
  }
  with_bar(state, 1e-3 * mean, 1.0);
}
BENCHMARK(UpdateMean)->Iterations(1)->Unit(benchmark::kMillisecond);

/// Without the clock: the mean over whole runs, and the same with the observer.
void Update(benchmark::State & state)
{
  ControllerSettings settings = recording().settings;
  settings.velocity.method = static_cast<VelocityMethod>(state.range(0));
  for (auto _ : state)
  {
    ControlCore core = recording().make_core(settings);
    for (const ControlInput & input : recording().inputs)
    {
      ControlOutput output = core.update(input);
      benchmark::DoNotOptimize(output);
    }
  }
  state.SetItemsProcessed(
    state.iterations() * static_cast<std::int64_t>(recording().inputs.size()));
}
BENCHMARK(Update)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fivebar_control

BENCHMARK_MAIN();
