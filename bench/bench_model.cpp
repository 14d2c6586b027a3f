// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "fivebar_control/model/dynamics_derivatives.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/model/runge_kutta.hpp"
#include "ratio.hpp"

namespace
{

using fivebar_control::RobotModel;

/// Robots by benchmark argument: 0 the default one, 1 with gravity, friction and unequal links.
const RobotModel & robot(std::int64_t index)
{
  static const RobotModel robots[] = {
    fivebar_control::load_robot(FIVEBAR_SOURCE_DIR "/config/robot.yaml"),
    fivebar_control::load_robot(FIVEBAR_SOURCE_DIR "/config/robots/unequal.yaml")};
  return robots[index];
}

struct Sample
{
  Eigen::Vector4d x;
  Eigen::Vector2d u;
};

constexpr std::size_t sample_count = 256;  // a power of two, small enough for the first cache

/// States around home, so that no evaluation is a repetition the processor could predict.
std::vector<Sample> samples(const RobotModel & model)
{
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  std::vector<Sample> result(sample_count);
  for (Sample & sample : result)
  {
    const Eigen::Vector4d spread(
      0.3 * unit(generator), 0.3 * unit(generator), 5.0 * unit(generator), 5.0 * unit(generator));
    sample = {
      model.home_state() + spread, Eigen::Vector2d(10.0 * unit(generator), 10.0 * unit(generator))};
  }
  return result;
}

template <class Evaluate>
void measure(benchmark::State & state, Evaluate && evaluate)
{
  const RobotModel & model = robot(state.range(0));
  const std::vector<Sample> data = samples(model);
  std::size_t i = 0;
  for (auto _ : state)
  {
    auto result = evaluate(model, data[i++ % sample_count]);
    benchmark::DoNotOptimize(result);
  }
}

const auto f = [](const RobotModel & model, const Sample & s) {
  return fivebar_control::forward_dynamics<double>(model.constants(), s.x, s.u);
};
const auto f_with_jacobian = [](const RobotModel & model, const Sample & s) {
  return fivebar_control::linearize<double>(model.constants(), s.x, s.u);
};
const auto by_parameters = [](const RobotModel & model, const Sample & s) {
  return fivebar_control::acceleration_by_parameters(model.physics(), model.constants(), s.x, s.u);
};

void ForwardDynamics(benchmark::State & state) { measure(state, f); }

/// f with all derivatives by state and input; the counter is the ratio that bench/ must hold.
void Linearize(benchmark::State & state)
{
  measure(state, f_with_jacobian);
  const RobotModel & model = robot(state.range(0));
  const std::vector<Sample> data = samples(model);
  const auto call = [&](const auto & function) {
    return [&](int i) {
      auto result = function(model, data[static_cast<std::size_t>(i) % sample_count]);
      benchmark::DoNotOptimize(result);
    };
  };
  const auto [plain, full] =
    fivebar_control::bench::median_times(call(f), call(f_with_jacobian), 10000);
  state.counters["linearize/f"] = full / plain;
  state.counters["bar"] = 5.0;
}

void ParameterDerivatives(benchmark::State & state) { measure(state, by_parameters); }

void ForwardKinematics(benchmark::State & state)
{
  measure(state, [](const RobotModel & model, const Sample & s) {
    return model.kinematics().forward(s.x.head<2>());
  });
}

void InverseKinematics(benchmark::State & state)
{
  measure(state, [](const RobotModel & model, const Sample & s) {
    const Eigen::Vector2d point =
      model.kinematics().forward(model.parameters().home)->end_effector + 0.01 * s.u.normalized();
    return model.kinematics().inverse(point, model.working_mode());
  });
}

void RungeKuttaStep(benchmark::State & state)
{
  measure(state, [](const RobotModel & model, const Sample & s) {
    return fivebar_control::runge_kutta_step<double>(model.constants(), s.x, s.u, s.u, 1e-3);
  });
}

}  // namespace

BENCHMARK(ForwardDynamics)->Arg(0)->Arg(1);
BENCHMARK(Linearize)->Arg(0)->Arg(1);
BENCHMARK(ParameterDerivatives)->Arg(0)->Arg(1);
BENCHMARK(ForwardKinematics)->Arg(0)->Arg(1);
BENCHMARK(InverseKinematics)->Arg(0)->Arg(1);
BENCHMARK(RungeKuttaStep)->Arg(0)->Arg(1);
BENCHMARK_MAIN();
