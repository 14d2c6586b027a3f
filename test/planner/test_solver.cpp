// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "fivebar_control/planner/methods/nlopt_solver.hpp"
#include "fivebar_control/planner/riccati_solver.hpp"
#include "planner/problems.hpp"

namespace fivebar_control
{
namespace
{

using test::Case;

SolverReport solve(Case & c, double tolerance = 1e-8, int max_iterations = 100)
{
  SolverOptions options;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  return RiccatiSolver(c.problem.nodes()).solve(c.problem, options, c.trajectory);
}

double largest_voltage(const Case & c)
{
  double largest = 0.0;
  for (std::size_t i = 0; i < c.problem.nodes(); ++i)
  {
    largest = std::max(largest, c.trajectory.u(i).cwiseAbs().maxCoeff());
  }
  return largest;
}

/// The published curves with beta = 1 and a given limit, without stages.
struct Setting
{
  const char * curve;
  double voltage;
  int most_iterations;
};

std::ostream & operator<<(std::ostream & out, const Setting & s)
{
  return out << s.curve << " within " << s.voltage << " V";
}

}  // namespace

class SolverFromZero : public testing::TestWithParam<Setting>
{
};
INSTANTIATE_TEST_SUITE_P(
  PublishedCurves, SolverFromZero,
  testing::Values(
    Setting{"a", unbounded, 15}, Setting{"b", unbounded, 15}, Setting{"c", unbounded, 15},
    Setting{"a", 10.0, 15}, Setting{"b", 10.0, 15}, Setting{"c", 10.0, 15}, Setting{"c", 2.0, 40},
    Setting{"c_soft", unbounded, 40}));

TEST_P(SolverFromZero, ConvergesToTheOptimumInFewIterations)
{
  Case c(GetParam().curve);
  c.problem.bounds.voltage = GetParam().voltage;
  const SolverReport report = solve(c);
  EXPECT_EQ(report.verdict, Verdict::converged);
  EXPECT_LE(report.iterations, GetParam().most_iterations);
  EXPECT_LE(largest_voltage(c), GetParam().voltage + 1e-9);
  const double optimum = c.trajectory.cost.total();

  // With a tighter tolerance the projected gradient falls by 1e-8 from u = 0.
  c.zero_voltages();
  const SolverReport tight = solve(c, 1e-15);
  EXPECT_LE(tight.iterations, 40);
  EXPECT_LE(tight.final_gradient, 1e-8 * tight.initial_gradient);
  EXPECT_NEAR(c.trajectory.cost.total(), optimum, 1e-8 * optimum);

  // A perturbed start leads to the same optimum.
  for (unsigned seed = 1; seed <= 3; ++seed)
  {
    Case perturbed(GetParam().curve);
    perturbed.problem.bounds.voltage = GetParam().voltage;
    perturbed.random_voltages(seed, 0.5);
    EXPECT_EQ(solve(perturbed, 1e-12).verdict, Verdict::converged);
    EXPECT_NEAR(perturbed.trajectory.cost.total(), optimum, 1e-8 * optimum) << "seed " << seed;
  }
}

TEST(Solver, CurveCWithinTwoVoltsCostsWhatIndependentTranscriptionsFound)
{
  // 7.9774e-3: two independent transcriptions, evaluated by a fine integration.
  Case c("c");
  ASSERT_EQ(c.problem.bounds.voltage, 2.0);
  solve(c, 1e-12);
  const double cost = test::finely_integrated_cost(c, 10);
  EXPECT_NEAR(cost, 7.9774e-3, 0.5e-7);
  EXPECT_NEAR(c.trajectory.cost.total(), cost, 1e-4 * cost);
}

TEST(Solver, CostAgreesWithAFineIntegrationWhereTheInputIsSmooth)
{
  for (const char * curve : {"a", "b", "c", "c_soft"})
  {
    Case c(curve);
    for (unsigned seed = 1; seed <= 5; ++seed)
    {
      c.random_voltages(seed, 0.3);
      StageDirections directions;
      directions.resize(c.problem.nodes());
      ASSERT_TRUE(roll_out(c.problem, c.trajectory, directions));
      const double fine = test::finely_integrated_cost(c, 10);
      EXPECT_NEAR(c.trajectory.cost.total(), fine, 1e-4 * fine) << curve << " seed " << seed;
    }
  }
}

TEST(Solver, NLoptTendsToTheSameCostFromAbove)
{
  for (const SolverKind kind : {SolverKind::lbfgs, SolverKind::mma})
  {
    Case c("b");
    c.problem.weights.rho = 1e-7;  // well-conditioned enough for a general-purpose optimiser
    Case best = c;
    ASSERT_EQ(solve(best, 1e-12).verdict, Verdict::converged);
    const double optimum = best.trajectory.cost.total();
    double previous = 1.0;
    for (const int evaluations : {100, 400, 1600})
    {
      c.zero_voltages();
      SolverOptions options;
      options.max_iterations = evaluations;
      options.tolerance = 1e-16;
      solve_with_nlopt(kind, c.problem, options, c.trajectory);
      const double cost = c.trajectory.cost.total();
      EXPECT_GE(cost, optimum * (1.0 - 1e-10));
      EXPECT_LE(cost, previous);
      EXPECT_LE(largest_voltage(c), 10.0 + 1e-9);
      previous = cost;
    }
    EXPECT_LT(previous, (kind == SolverKind::lbfgs ? 1.02 : 1.5) * optimum) << to_string(kind);
  }
}

TEST(Solver, SurvivesAbsurdInitialVoltages)
{
  for (const double absurd : {1e3, -1e12, std::nan(""), HUGE_VAL})
  {
    Case c("b");
    for (std::size_t i = 0; i < c.problem.nodes(); ++i)
    {
      c.trajectory.input[0][i] = absurd;
      c.trajectory.input[1][i] = i % 2 == 0 ? absurd : -absurd;
    }
    c.problem.bounds.voltage = unbounded;
    const SolverReport report = solve(c, 1e-12);
    EXPECT_EQ(report.verdict, Verdict::converged) << absurd;
    EXPECT_NEAR(c.trajectory.cost.total(), 4.325061055e-05, 1e-12) << absurd;
    for (std::size_t i = 0; i < c.problem.nodes(); ++i)
    {
      ASSERT_TRUE(c.trajectory.u(i).allFinite() && c.trajectory.x(i).allFinite());
    }
  }
}

TEST(Solver, SaysWhenItStoppedTooEarly)
{
  Case c("c");
  const SolverReport report = solve(c, 1e-12, 3);
  EXPECT_EQ(report.verdict, Verdict::iteration_limit);
  EXPECT_EQ(report.iterations, 3);
  EXPECT_LE(largest_voltage(c), 2.0 + 1e-9) << "bounds hold even then";
}

TEST(Solver, IsDeterministic)
{
  Case first("c");
  Case second("c");
  solve(first);
  solve(second);
  for (std::size_t i = 0; i < first.problem.nodes(); ++i)
  {
    ASSERT_EQ(first.trajectory.u(i), second.trajectory.u(i));
  }
}

TEST(Solver, StopsWhenTheCallerSaysSo)
{
  Case c("c");
  const SolverReport report =
    RiccatiSolver(c.problem.nodes()).solve(c.problem, {}, c.trajectory, [](const Iteration & i) {
      return i.number < 2;
    });
  EXPECT_EQ(report.verdict, Verdict::cancelled);
  EXPECT_EQ(report.iterations, 2);
}

TEST(Solver, KeepsVoltageRateBounds)
{
  for (const double rate : {200.0, 30.0})
  {
    Case c("c");
    c.problem.bounds.voltage_rate = rate;
    const SolverReport report = solve(c, 1e-9);
    EXPECT_EQ(report.verdict, Verdict::converged) << rate;
    for (std::size_t i = 1; i < c.problem.nodes(); ++i)
    {
      const Eigen::Vector2d change = c.trajectory.u(i) - c.trajectory.u(i - 1);
      ASSERT_LE(change.cwiseAbs().maxCoeff(), rate * c.problem.step + 1e-9);
    }
    EXPECT_LE(largest_voltage(c), 2.0 + 1e-9);
    EXPECT_GT(c.trajectory.cost.total(), 7.9774e-3) << "a bound more cannot cost less";
  }
}

}  // namespace fivebar_control
