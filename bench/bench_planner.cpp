// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <string>

#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/model/runge_kutta.hpp"
#include "fivebar_control/planner/backward_sweep.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "ratio.hpp"

// Budgets of planning, all as multiples of one plain forward simulation of the same grid.

namespace
{

using namespace fivebar_control;

const std::string config = FIVEBAR_SOURCE_DIR "/config/";

/// A published curve with the voltages of its plan.
struct Setting
{
  explicit Setting(const std::string & curve)
  : file(config + "curves/" + curve + ".yaml"),
    robot(load_robot(config + "robot.yaml")),
    request(load_plan_request(file)),
    problem(make_problem(robot, request, request.stages.back()))
  {
    trajectory.resize(problem.nodes());
    directions.resize(problem.nodes());
    gradient.resize(problem.nodes());
    const Plan plan = make_plan(robot, request).plan;
    std::copy(plan.samples.u1.begin(), plan.samples.u1.end(), trajectory.input[0]);
    std::copy(plan.samples.u4.begin(), plan.samples.u4.end(), trajectory.input[1]);
  }

  /// One Runge-Kutta step per interval, nothing stored, no cost.
  void simulate_plainly()
  {
    Eigen::Vector4d x = problem.start;
    for (std::size_t i = 0; i < problem.intervals; ++i)
    {
      x = runge_kutta_step<double>(
        problem.dynamics, x, trajectory.u(i), trajectory.u(i + 1), problem.step);
    }
    benchmark::DoNotOptimize(x);
  }

  /// Cost and gradient from the voltages alone: rollout and discrete adjoint.
  void compute_gradient()
  {
    roll_out(problem, trajectory, directions);
    auto cost = sweep_adjoint(problem, problem.bounds, trajectory, directions, gradient);
    benchmark::DoNotOptimize(cost);
  }

  /// From nothing but the two files to a converged plan.
  void plan_from_files() const
  {
    PlanResult result = make_plan(load_robot(config + "robot.yaml"), load_plan_request(file));
    benchmark::DoNotOptimize(result.plan.quality.cost);
  }

  std::string file;
  RobotModel robot;
  PlanRequest request;
  TrackingProblem problem;
  Trajectory trajectory;
  StageDirections directions;
  Channels<2> gradient;
};

Setting & setting(const char * curve)
{
  static Setting b("b");
  static Setting c("c");
  return *curve == 'b' ? b : c;
}

template <class Work>
void measure(benchmark::State & state, Setting & s, Work && work, const char * ratio, double bar)
{
  for (auto _ : state)
  {
    work();
  }
  if (bar > 0.0)
  {
    const auto [plain, full] =
      bench::median_times([&](int) { s.simulate_plainly(); }, [&](int) { work(); }, 1);
    state.counters[ratio] = full / plain;
    state.counters["bar"] = bar;
  }
}

void simulate_b(benchmark::State & state)
{
  Setting & s = setting("b");
  measure(
    state, s, [&] { s.simulate_plainly(); }, "", 0.0);
}

void gradient_b(benchmark::State & state)
{
  Setting & s = setting("b");
  measure(
    state, s, [&] { s.compute_gradient(); }, "gradient/simulation", 4.0);
}

void plan_b(benchmark::State & state)
{
  Setting & s = setting("b");
  measure(
    state, s, [&] { s.plan_from_files(); }, "plan/simulation", 40.0);
}

void simulate_c(benchmark::State & state)
{
  Setting & s = setting("c");
  measure(
    state, s, [&] { s.simulate_plainly(); }, "", 0.0);
}

void plan_c(benchmark::State & state)
{
  Setting & s = setting("c");
  measure(
    state, s, [&] { s.plan_from_files(); }, "plan/simulation", 80.0);
}

/// Time per node must not grow with the number of nodes: gentle curve B on ever finer grids.
void plan_nodes(benchmark::State & state)
{
  const RobotModel robot = load_robot(config + "robot.yaml");
  PlanRequest request = load_plan_request(config + "curves/b_gentle.yaml");
  request.intervals = static_cast<std::size_t>(state.range(0));
  request.time_step = request.curve->duration() / static_cast<double>(request.intervals);
  int iterations = 0;
  for (auto _ : state)
  {
    iterations = make_plan(robot, request).plan.iterations;
  }
  state.counters["iterations"] = iterations;
  state.counters["time_per_node_and_iteration"] = benchmark::Counter(
    static_cast<double>(request.intervals) * iterations,
    benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace

BENCHMARK(simulate_b)->Unit(benchmark::kMicrosecond);
BENCHMARK(gradient_b)->Unit(benchmark::kMicrosecond);
BENCHMARK(plan_b)->Unit(benchmark::kMicrosecond);
BENCHMARK(simulate_c)->Unit(benchmark::kMicrosecond);
BENCHMARK(plan_c)->Unit(benchmark::kMicrosecond);
BENCHMARK(plan_nodes)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
