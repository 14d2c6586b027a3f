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

/// The cart with a straight chain of pendula of Maciąg, chapter 6; the cart counts.
Mechanism cart_with_pendula(int bodies)
{
  Mechanism chain;
  chain.gravity_y = -9.81;
  chain.add_body("cart", {0, 0.8, 0.019, 0.0, 0.0});
  Joint rail;
  rail.type = Joint::Type::prismatic;
  rail.b = {Anchor::Kind::body, 0, 0.0, 0.0};
  rail.x = 1.0;
  chain.joints.push_back(rail);
  chain.frictions.push_back({0, 0.5, 0.0, 1.0});
  for (int i = 1; i < bodies; ++i)
  {
    chain.add_body("pendulum", {0, 0.5, 0.043, 0.5, 0.0});
    Joint hinge;
    hinge.a = {Anchor::Kind::body, i - 1, i == 1 ? 0.0 : 1.0, 0.0};
    hinge.b = {Anchor::Kind::body, i, 0.0, 0.0};
    chain.joints.push_back(hinge);
    chain.torsion_springs.push_back({3 * i - 1, 3 * i + 2, 0.0, 0.0, 0.3, 0.0});
  }
  return chain;
}

/// One right-hand side with accelerations and reactions, at an arbitrary state.
void chain_response(benchmark::State & state, Formulation formulation)
{
  const auto bodies = static_cast<int>(state.range(0));
  const auto system = make_system(cart_with_pendula(bodies));
  Point<double> at{0.0, VectorD::Zero(3 * bodies), VectorD::Zero(3 * bodies), VectorD()};
  double x = 0.0, y = 0.0;
  for (int i = 1; i < bodies; ++i)
  {
    const double angle = 0.8 + 0.01 * i;
    at.q.segment(3 * i, 3) << x + 0.5 * std::cos(angle), y + 0.5 * std::sin(angle), angle;
    x += std::cos(angle);
    y += std::sin(angle);
  }
  Settings settings;
  settings.formulation = formulation;
  settings.threads = static_cast<int>(state.range(1));
  const auto form = make_form(system, settings, at);
  const VectorD begin = form->state(at);
  Response<double> response;
  for (auto _ : state)
  {
    form->respond(0.0, begin, at.theta, at.q, response);
    benchmark::DoNotOptimize(response.rate.data());
  }
  state.counters["us_per_body"] = benchmark::Counter(
    1e-6 * bodies, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(chain_response, hadca, Formulation::hadca)
  ->ArgsProduct({{32, 64, 128, 256, 512, 1024}, {1, 2}})
  ->Unit(benchmark::kMicrosecond)
  ->UseRealTime();
BENCHMARK_CAPTURE(chain_response, index_1, Formulation::index1)
  ->ArgsProduct({{4, 16, 32, 64}, {1}})
  ->Unit(benchmark::kMicrosecond)
  ->UseRealTime();

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
