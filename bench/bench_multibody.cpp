// SPDX-License-Identifier: Apache-2.0
// The sensitivity engine: the cost of a gradient over the number of parameters (adjoint methods
// must stay flat, the direct one grows linearly), and the piecewise adjoint over threads and
// intervals.
#include <benchmark/benchmark.h>

#include <cmath>

#include "fivebar_control/multibody/form.hpp"
#include "fivebar_control/multibody/mechanism.hpp"
#include "fivebar_control/multibody/reference_problems.hpp"
#include "fivebar_control/multibody/sensitivity.hpp"

namespace
{

using namespace fivebar_control::multibody;  // NOLINT(google-build-using-namespace)

/// A five-bar with an actuator in one spring whose force nodes are the parameters: the shape of
/// every optimal-control problem.
Problem problem_with(long parameters)
{
  FivebarOptions options;
  options.duration = 1.0;
  options.spring_parameters = false;
  options.force_nodes = static_cast<int>(parameters);
  return fivebar_springs(options);
}

Settings bench_settings()
{
  Settings settings;
  settings.step = 1e-3;
  return settings;
}

void gradient_over_parameters(benchmark::State & state, Method method, Formulation formulation)
{
  const Problem problem = problem_with(state.range(0));
  Settings settings = bench_settings();
  settings.formulation = formulation;
  for (auto _ : state)
  {
    benchmark::DoNotOptimize(gradient(problem, settings, problem.rho, method));
  }
  state.counters["parameters"] = static_cast<double>(problem.parameters());
}

void simulation(benchmark::State & state)
{
  const Problem problem = problem_with(2);
  const Settings settings = bench_settings();
  for (auto _ : state)
  {
    benchmark::DoNotOptimize(simulate_costs<double>(problem, settings, problem.rho));
  }
}

void piecewise(benchmark::State & state)
{
  const Problem problem = problem_with(2);
  Settings settings = bench_settings();
  const Trajectory trajectory = simulate(problem, settings, problem.rho);
  settings.threads = static_cast<int>(state.range(0));
  settings.intervals = static_cast<int>(state.range(1));
  for (auto _ : state)
  {
    benchmark::DoNotOptimize(piecewise_adjoint_of(problem, settings, trajectory));
  }
}

void whole_adjoint(benchmark::State & state)
{
  const Problem problem = problem_with(2);
  const Settings settings = bench_settings();
  const Trajectory trajectory = simulate(problem, settings, problem.rho);
  for (auto _ : state)
  {
    benchmark::DoNotOptimize(adjoint_of(problem, settings, trajectory));
  }
}

void sizes(benchmark::internal::Benchmark * benchmark)
{
  benchmark->Arg(1)->Arg(10)->Arg(32)->Arg(100)->Arg(320)->Arg(1000)->Unit(benchmark::kMillisecond);
}

BENCHMARK(simulation)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(gradient_over_parameters, direct, Method::direct, Formulation::index1)
  ->Apply(sizes);
BENCHMARK_CAPTURE(gradient_over_parameters, adjoint, Method::adjoint, Formulation::index1)
  ->Apply(sizes);
BENCHMARK_CAPTURE(
  gradient_over_parameters, discrete_adjoint, Method::discrete_adjoint, Formulation::index1)
  ->Apply(sizes);
BENCHMARK_CAPTURE(
  gradient_over_parameters, hamiltonian_adjoint, Method::hamiltonian_adjoint, Formulation::hamilton)
  ->Apply(sizes);
BENCHMARK_CAPTURE(gradient_over_parameters, ali3p_direct, Method::direct, Formulation::ali3p)
  ->Apply(sizes);
BENCHMARK_CAPTURE(
  gradient_over_parameters, ali3p_adjoint, Method::discrete_adjoint, Formulation::ali3p)
  ->Apply(sizes);
BENCHMARK(whole_adjoint)->Unit(benchmark::kMillisecond);
BENCHMARK(piecewise)
  ->ArgNames({"threads", "intervals"})
  ->ArgsProduct({{1, 2, 4}, {1, 4, 16, 64}})
  ->Unit(benchmark::kMillisecond)
  ->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
