// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "fivebar_control/planner/methods/gradient.hpp"
#include "planner/problems.hpp"

namespace fivebar_control
{
namespace
{

using test::Case;

std::vector<Eigen::Vector2d> gradient_of(Case & c, GradientMethod method)
{
  return compute_gradient(
           method, c.problem, c.robot.physics(), c.robot.parameters().assembly_mode,
           *c.request.curve, c.trajectory)
    .gradient;
}

double norm(const std::vector<Eigen::Vector2d> & g)
{
  double sum = 0.0;
  for (const auto & v : g)
  {
    sum += v.squaredNorm();
  }
  return std::sqrt(sum);
}

double relative_difference(std::vector<Eigen::Vector2d> a, const std::vector<Eigen::Vector2d> & b)
{
  for (std::size_t i = 0; i < a.size(); ++i)
  {
    a[i] -= b[i];
  }
  return norm(a) / norm(b);
}

/// Fewer nodes keep the quadratic methods quick; the full grids run in the command-line tests.
PlanRequest shortened(const std::string & curve)
{
  PlanRequest request = test::request_of(curve);
  request.intervals = 203;  // not a multiple of the SIMD width
  return request;
}

void expect_agreement(Case & c, const std::string & where)
{
  const auto adjoint = gradient_of(c, GradientMethod::discrete_adjoint);
  EXPECT_LT(relative_difference(adjoint, gradient_of(c, GradientMethod::complex_step)), 1e-10)
    << where;
  EXPECT_LT(relative_difference(adjoint, gradient_of(c, GradientMethod::direct)), 1e-10) << where;
}

}  // namespace

class GradientOnCurve : public testing::TestWithParam<const char *>
{
};
INSTANTIATE_TEST_SUITE_P(Curves, GradientOnCurve, testing::Values("a", "b", "c", "c_soft"));

TEST_P(GradientOnCurve, DiscreteAdjointEqualsComplexStepAndDirectDifferentiation)
{
  Case c(shortened(GetParam()));
  expect_agreement(c, "at zero");
  for (unsigned seed = 1; seed <= 3; ++seed)
  {
    c.random_voltages(seed, 0.3);
    expect_agreement(c, "at random voltages");
  }
  PlanRequest request = c.request;
  request.stages = {request.stages.back()};
  const Plan plan = make_plan(c.robot, request).plan;
  std::copy(plan.samples.u1.begin(), plan.samples.u1.end(), c.trajectory.input[0]);
  std::copy(plan.samples.u4.begin(), plan.samples.u4.end(), c.trajectory.input[1]);
  // At an unbounded optimum the gradient vanishes: the difference is judged by the gradient at
  // zero.
  const auto adjoint = gradient_of(c, GradientMethod::discrete_adjoint);
  const auto complex_step = gradient_of(c, GradientMethod::complex_step);
  const auto direct = gradient_of(c, GradientMethod::direct);
  c.zero_voltages();
  const double scale = norm(gradient_of(c, GradientMethod::discrete_adjoint));
  EXPECT_LT(relative_difference(adjoint, complex_step) * norm(complex_step), 1e-10 * scale);
  EXPECT_LT(relative_difference(adjoint, direct) * norm(direct), 1e-10 * scale);
}

TEST(Gradient, HoldsForAnotherRobotWithFrictionGravityAndAllCostTerms)
{
  PlanRequest request = parse_plan_request(
    "schema: 1\n"
    "curve: {type: circle, center: [0.124, -0.190], radius: 0.02, duration: 1.0}\n"
    "cost: {alpha: 0.1, beta: 0.3, gamma: 0.01, soft_voltage: 0.5, rho: 1.0e-6}\n",
    "circle");
  Case c(request, "robots/unequal.yaml");
  for (unsigned seed = 1; seed <= 3; ++seed)
  {
    c.random_voltages(seed, 0.6);
    // Around the voltages that hold the links against gravity.
    const Eigen::Vector2d hold =
      inverse_dynamics<double>(c.robot.constants(), c.problem.start, Eigen::Vector2d::Zero());
    for (std::size_t i = 0; i < c.problem.nodes(); ++i)
    {
      c.trajectory.input[0][i] = 0.2 * c.trajectory.input[0][i] + hold[0];
      c.trajectory.input[1][i] = 0.2 * c.trajectory.input[1][i] + hold[1];
    }
    expect_agreement(c, "unequal robot");
  }
}

TEST(Gradient, FiniteDifferencesAgreeToTheirAccuracy)
{
  Case c(shortened("b"));
  c.random_voltages(5, 0.3);
  EXPECT_LT(
    relative_difference(
      gradient_of(c, GradientMethod::finite_difference),
      gradient_of(c, GradientMethod::discrete_adjoint)),
    1e-6);
}

TEST(Gradient, HamiltonianAdjointConvergesWithTheTimeStep)
{
  // The continuous adjoint, discretised, against the exact gradient of the discretised problem. The
  // gradient by a node's voltage is a density times the time step, so the relative difference is
  // what converges.
  PlanRequest request = test::request_of("b");
  double previous = 0.0;
  fmt::print("time step [s]   relative difference   order\n");
  for (const double step : {0.02, 0.01, 0.005, 0.0025, 0.00125})
  {
    request.time_step = step;
    request.intervals = count_intervals(request.curve->duration(), step);
    Case c(request);
    c.random_voltages(11, 0.3);
    const double difference = relative_difference(
      gradient_of(c, GradientMethod::hamiltonian_joint),
      gradient_of(c, GradientMethod::discrete_adjoint));
    const double order = previous > 0.0 ? std::log2(previous / difference) : 0.0;
    fmt::print("{:12.5f} {:20.3e} {:10.2f}\n", step, difference, order);
    if (previous > 0.0)
    {
      EXPECT_NEAR(order, 4.0, 0.5) << "at a step of " << step;
    }
    previous = difference;
  }
  EXPECT_LT(previous, 1e-8);
}

TEST(Gradient, RefusesVoltagesThatLeadOutOfTheWorkspace)
{
  Case c(shortened("b"));
  std::fill_n(c.trajectory.input[0], c.problem.nodes(), 500.0);
  EXPECT_THROW(gradient_of(c, GradientMethod::discrete_adjoint), std::runtime_error);
}

}  // namespace fivebar_control
