// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <complex>

#include "fivebar_control/planner/balance_planner.hpp"
#include "model/pendulums.hpp"

// Maciąg, section 5.5. The source prints no results that can be recomputed; the numbers come from
// programs of their own (CasADi, Ipopt and a Levenberg-Marquardt method of single shooting).

namespace fivebar_control
{
namespace
{

using test::degrees;

struct Subproblem
{
  double a1, a2, velocity;
};
constexpr std::array<Subproblem, 4> subproblems{
  {{-5.0, -5.0, 0.0}, {-10.0, -10.0, 0.0}, {-10.0, -15.0, 0.0}, {-10.0, -15.0, 0.05}}};

class PublishedBalance : public testing::Test
{
protected:
  RobotModel robot = test::default_robot();

  BalanceProblem problem(
    PendulumAxes axes, const Subproblem & s, double volts, std::size_t intervals = 100) const
  {
    BalanceWeights weights;
    weights.velocity = s.velocity;
    weights.volts = volts;
    return {
      lump(robot, test::published_pendulum(axes)),
      test::tilted(robot, s.a1, s.a2),
      intervals,
      0.005,
      weights,
      std::numeric_limits<double>::infinity()};
  }

  static BalanceMotion at_zero_volts(const BalanceProblem & problem)
  {
    BalanceMotion motion;
    motion.inputs.assign(problem.intervals() + 1, Eigen::Vector2d::Zero());
    EXPECT_TRUE(BalanceSolver(problem).roll_out(motion));
    return motion;
  }

  BalanceRequest request(double duration, BalanceGuess guess) const
  {
    BalanceRequest r;
    r.pendulum = test::published_pendulum();
    r.duration = duration;
    r.guess = guess;
    return r;
  }
};

double norm(const std::vector<Eigen::Vector2d> & nodes)
{
  double sum = 0.0;
  for (const Eigen::Vector2d & node : nodes)
  {
    sum += node.squaredNorm();
  }
  return std::sqrt(sum);
}

void expect_relative(double found, double expected, double tolerance)
{
  EXPECT_NEAR(found, expected, tolerance * std::abs(expected));
}

BalanceStage stage_of(const Subproblem & s)
{
  BalanceStage stage;
  stage.tilt = {degrees(s.a1), degrees(s.a2)};
  stage.weights.velocity = s.velocity;
  return stage;
}

}  // namespace

TEST_F(PublishedBalance, CostAndGradientAtZeroVoltsAreThoseOfAnIndependentProgram)
{
  struct Expected
  {
    PendulumAxes axes;
    std::array<double, 4> cost, norm, sum1, sum4;
  };
  const std::array<Expected, 2> table{
    {{PendulumAxes::parallel,
      {3.22717555082, 3.24674878168, 2.46587524402, 6.3596908913},
      {0.5798122624, 0.2482748208, 0.1482575272, 0.2673642523},
      {-2.935033825, 1.213012863, 0.519703414, 1.052536543},
      {-2.922024795, 1.231311681, 0.8237153482, 1.080515516}},
     {PendulumAxes::link_2,
      {3.20919521804, 3.21832695308, 2.45485471452, 6.00785006755},
      {0.5523678149, 0.2344213794, 0.1468497086, 0.3115761332},
      {2.945822166, -1.24298407, -0.8243604204, -1.630197867},
      {-2.592807561, 1.020725684, 0.4868595248, 0.0688282629}}}};
  for (const Expected & expected : table)
  {
    for (std::size_t i = 0; i < 4; ++i)
    {
      const BalanceProblem p = problem(expected.axes, subproblems[i], 0.0);
      const BalanceMotion motion = at_zero_volts(p);
      const std::vector<Eigen::Vector2d> gradient = BalanceSolver(p).gradient(motion);
      Eigen::Vector2d sum = Eigen::Vector2d::Zero();
      for (const Eigen::Vector2d & node : gradient)
      {
        sum += node;
      }
      expect_relative(motion.cost, expected.cost[i], 1e-9);
      expect_relative(norm(gradient), expected.norm[i], 1e-7);
      expect_relative(sum[0], expected.sum1[i], 1e-7);
      expect_relative(sum[1], expected.sum4[i], 1e-7);
    }
  }
}

TEST_F(PublishedBalance, GradientsAtTheNodesAreThoseOfAnIndependentProgram)
{
  constexpr std::array<std::size_t, 5> nodes{0, 25, 50, 75, 100};
  constexpr std::array<double, 5> first{
    0.05583382367, 0.04435930984, 0.01960556557, 0.007331219004, -0.0001139704244};
  constexpr std::array<double, 5> second{
    -0.05128041068, -0.03879557024, -0.01683620363, -0.005915698868, 0.0001336213796};
  const BalanceProblem p = problem(PendulumAxes::link_2, subproblems[0], 0.0);
  const std::vector<Eigen::Vector2d> gradient = BalanceSolver(p).gradient(at_zero_volts(p));
  for (std::size_t i = 0; i < nodes.size(); ++i)
  {
    expect_relative(gradient[nodes[i]][0], first[i], 1e-7);
    expect_relative(gradient[nodes[i]][1], second[i], 1e-7);
  }
}

// At volts that are no optimum and with every weight.
TEST_F(PublishedBalance, TheGradientEqualsDifferencesOfTheCost)
{
  BalanceWeights weights{1.3, 0.7, 0.05, 2.0, 3e-4};
  const BalanceProblem p(
    lump(robot, test::uneven_pendulum()), test::tilted(robot, -6.0, 4.0), 30, 0.005, weights, 10.0);
  BalanceSolver solver(p);
  BalanceMotion motion;
  for (std::size_t k = 0; k <= 30; ++k)
  {
    const double s = 0.3 * static_cast<double>(k);
    motion.inputs.emplace_back(2.0 * std::sin(s), -1.5 * std::cos(1.3 * s));
  }
  ASSERT_TRUE(solver.roll_out(motion));
  const std::vector<Eigen::Vector2d> gradient = solver.gradient(motion);
  const double scale = norm(gradient);
  constexpr double h = 1e-4;
  for (const std::size_t k : {0, 1, 14, 29, 30})
  {
    for (int i = 0; i < 2; ++i)
    {
      const auto cost_at = [&](double change) {
        BalanceMotion moved = motion;
        moved.inputs[k][i] += change;
        EXPECT_TRUE(solver.roll_out(moved));
        return moved.cost;
      };
      EXPECT_NEAR(gradient[k][i], (cost_at(h) - cost_at(-h)) / (2.0 * h), 1e-6 * scale);
    }
  }
}

TEST_F(PublishedBalance, ChainOfOptimaIsThatOfAnIndependentProgram)
{
  BalanceRequest asked = request(0.5, BalanceGuess::zero);
  asked.bound_by_robot = false;
  struct Expected
  {
    double total, published, tilt, volts;
  };
  constexpr std::array<Expected, 4> table{
    {{2.04381125e-4, 1.38669e-4, 0.01, 5.7503},
     {8.92309168e-4, 6.04918e-4, 0.02, 12.0155},
     {1.63141676e-3, 1.085140e-3, 0.03, 17.0265},
     {1.64013818e-3, 1.087578e-3, 0.05, 17.0892}}};
  std::array<BalanceQuality, 4> quality;
  for (std::size_t i = 0; i < 4; ++i)
  {
    asked.stages.push_back(stage_of(subproblems[i]));
    const BalancePlan plan = make_balance_plan(robot, asked).plan;
    quality[i] = quality_of(lump(robot, asked.pendulum), plan);
    EXPECT_EQ(plan.verdict, Verdict::converged);
    expect_relative(plan.cost, table[i].total, 1e-5);
    expect_relative(plan.cost_published, table[i].published, 1e-3);
    EXPECT_LE(quality[i].end_tilt, degrees(table[i].tilt));
    expect_relative(quality[i].largest_voltage, table[i].volts, 0.01);
  }
  EXPECT_LE(quality[3].end_speed, 2e-3);
  EXPECT_LE(quality[3].end_turn, 1e-3);
  // The weight on the end's velocity takes nearly all of it for 0.2 % of the cost.
  EXPECT_NEAR(quality[2].end_turn, 1.02, 0.02);
}

TEST_F(PublishedBalance, HardBoundsAreKeptAndCostLittle)
{
  BalanceRequest asked = request(0.5, BalanceGuess::zero);
  for (const Subproblem & s : subproblems)
  {
    asked.stages.push_back(stage_of(s));
  }
  const BalanceResult result = make_balance_plan(robot, asked);
  EXPECT_EQ(result.plan.verdict, Verdict::converged);
  const BalanceQuality quality = quality_of(lump(robot, asked.pendulum), result.plan);
  EXPECT_EQ(quality.largest_voltage, 10.0);
  EXPECT_GT(result.plan.nodes_at_bound, 0u);
  EXPECT_GT(result.plan.cost, 1.64013818e-3);
  EXPECT_LT(result.plan.cost, 1.02 * 1.64013818e-3);
  EXPECT_LE(quality.end_tilt, degrees(0.05));
  require_balance_fits(robot, result.plan);
}

// Both ways to begin lead to the same optimum.
TEST_F(PublishedBalance, TheGuessFromUprightFindsTheSameOptimum)
{
  BalanceRequest chain = request(0.5, BalanceGuess::zero);
  for (const Subproblem & s : subproblems)
  {
    chain.stages.push_back(stage_of(s));
  }
  BalanceRequest upright = request(0.5, BalanceGuess::upright);
  upright.stages = {chain.stages.back()};
  const double expected = make_balance_plan(robot, chain).plan.cost;
  expect_relative(make_balance_plan(robot, upright).plan.cost, expected, 1e-7);
}

// The second part of the source's section: the linkage is to stand still below a falling pendulum.
TEST_F(PublishedBalance, TorquesThatHoldTheLinkageAreThoseOfAnIndependentProgram)
{
  const PendulumConstants<double> k = lump(robot, test::published_pendulum());
  PendulumState<double> x = test::tilted(robot, 160.0, 10.0);
  constexpr std::array<std::array<double, 5>, 5> table{
    {{0.0, -0.023814513, 0.046169495, 160.0, 10.0},
     {0.25, 0.008088698, -0.015677672, 185.372110, -2.762891},
     {0.5, 0.021813456, -0.042321442, 197.042847, -8.592710},
     {1.0, -0.013275694, 0.025761650, 170.894834, 4.665368},
     {1.5, -0.002180801, 0.004265798, 178.570517, 0.734611}}};
  const auto rate = [&k](const PendulumState<double> & at) {
    PendulumState<double> r = PendulumState<double>::Zero();
    r.segment<2>(2) = at.tail<2>();
    r.tail<2>() = hold_joints(k, at).acceleration;
    return r;
  };
  constexpr double h = 0.0005;
  int step = 0;
  for (const auto & row : table)
  {
    for (; step < static_cast<int>(std::lround(row[0] / h)); ++step)
    {
      const PendulumState<double> k1 = rate(x);
      const PendulumState<double> k2 = rate(x + 0.5 * h * k1);
      const PendulumState<double> k3 = rate(x + 0.5 * h * k2);
      const PendulumState<double> k4 = rate(x + h * k3);
      x += h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4);
    }
    const HeldJoints held = hold_joints(k, x);
    EXPECT_NEAR(held.torque[0], row[1], 1e-7) << row[0];
    EXPECT_NEAR(held.torque[1], row[2], 1e-7) << row[0];
    EXPECT_NEAR(x[2], degrees(row[3]), 1e-6) << row[0];
    EXPECT_NEAR(x[3], degrees(row[4]), 1e-6) << row[0];
  }
}

TEST_F(PublishedBalance, TheLinkageStandsStillBelowAFallingPendulum)
{
  BalanceWeights weights{1.0, 0.0, 0.0, 0.0, 1e-8};
  const PendulumConstants<double> k = lump(robot, test::published_pendulum());
  const BalanceProblem p(
    k, test::tilted(robot, 160.0, 10.0), 300, 0.005, weights,
    std::numeric_limits<double>::infinity());
  BalanceMotion motion = at_zero_volts(p);
  double free_swing = 0.0;
  {
    const BalanceProblem without_volts(
      k, test::tilted(robot, 160.0, 10.0), 300, 0.005, {1.0, 0.0, 0.0, 0.0, 0.0}, 1e9);
    BalanceMotion swing = at_zero_volts(without_volts);
    free_swing = swing.cost;
    expect_relative(swing.cost, 1.86432112327e-5, 1e-6);
    expect_relative(norm(BalanceSolver(without_volts).gradient(swing)), 8.069728026e-6, 1e-6);
  }
  BalanceSolver solver(p);
  EXPECT_EQ(solver.solve(motion).verdict, Verdict::converged);
  expect_relative(motion.cost, 5.65903942e-10, 1e-5);
  double still = motion.cost;
  for (std::size_t i = 1; i < motion.inputs.size(); ++i)
  {
    const Eigen::Vector2d & a = motion.inputs[i - 1];
    const Eigen::Vector2d & b = motion.inputs[i];
    still -= 1e-8 * 0.005 / 6.0 * (a.squaredNorm() + a.dot(b) + b.squaredNorm());
  }
  EXPECT_LE(still, 1e-12);
  EXPECT_LE(still, 1e-7 * free_swing);
  for (std::size_t i = 2; i <= 290; ++i)
  {
    const HeldJoints held = hold_joints(k, motion.states[i]);
    for (int joint = 0; joint < 2; ++joint)
    {
      const double torque =
        drive_torque<double>(k.robot, joint, motion.states[i][4 + joint], motion.inputs[i][joint]);
      EXPECT_NEAR(torque, held.torque[joint], 1e-4) << i;
    }
  }
}

TEST_F(PublishedBalance, TiltsBeyondTheMotorsAreRefusedWithTheTiltThatWasReached)
{
  BalanceRequest asked = request(1.0, BalanceGuess::upright);
  BalanceStage stage;
  stage.tilt = {degrees(-30.0), degrees(-30.0)};
  stage.weights.velocity = 0.05;
  asked.stages = {stage};
  try
  {
    make_balance_plan(robot, asked);
    FAIL() << "planned";
  }
  catch (const NotReachable & error)
  {
    EXPECT_NE(std::string(error.what()).find("from 41.41 degrees"), std::string::npos)
      << error.what();
  }
}

TEST(BoxStep, IsTheMinimumWithinTheBounds)
{
  Eigen::Matrix2d q;
  q << 2.0, 0.9, 0.9, 1.0;
  const Eigen::Vector2d lower(-1.0, -0.5);
  const Eigen::Vector2d upper(0.5, 2.0);
  for (int n = 0; n < 400; ++n)
  {
    const Eigen::Vector2d g(0.1 * (n % 40) - 2.0, 0.2 * (n / 20) - 2.0);
    const BoxStep<2> found = box_step<2>(q, g, lower, upper);
    ASSERT_TRUE(found.found);
    const auto value = [&](const Eigen::Vector2d & d) { return 0.5 * d.dot(q * d) + g.dot(d); };
    for (double a = lower[0]; a <= upper[0] + 1e-9; a += 0.05)
    {
      for (double b = lower[1]; b <= upper[1] + 1e-9; b += 0.05)
      {
        ASSERT_LE(value(found.step), value({a, b}) + 1e-12);
      }
    }
  }
}

}  // namespace fivebar_control
