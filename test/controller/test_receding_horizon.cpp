// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/receding_horizon.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "fivebar_control/controller/control_core.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "model/robots.hpp"

namespace fivebar_control::test
{
namespace
{

using End = RecedingHorizon::End;

struct PlannedLoop
{
  PlannedLoop()
  : robot(default_robot()),
    plan(make_plan(robot, load_plan_request(config_path("curves/b.yaml"))).plan.samples),
    gains(make_loop_gains(robot, plan, 1e-3, {}, true))
  {
  }
  RobotModel robot;
  PlayablePlan plan;
  LoopGains gains;
};

const PlannedLoop & loop()
{
  static const PlannedLoop instance;
  return instance;
}

RecedingHorizon::Problem problem_at(std::size_t cycle, const Eigen::Vector4d & error, double volts)
{
  return {cycle, error, Eigen::Vector2d(0.1, -0.2), volts, LoopGainSettings{}.volts_weight};
}

/// The same problem with matrices of its whole size, by coordinate descent.
Eigen::Vector2d by_descent(const LoopGains & gains, const RecedingHorizon::Problem & p, int count)
{
  const Eigen::Index size = 2 * count;
  Eigen::MatrixXd states = Eigen::MatrixXd::Zero(4, size + 1);  // by all volts, and the rest
  states.col(size) = p.error;
  Eigen::MatrixXd curvature = Eigen::MatrixXd::Zero(size + 1, size + 1);
  Eigen::VectorXd low(size), high(size);
  for (int j = 0; j < count; ++j)
  {
    const HorizonCycle & c = gains.horizon[p.cycle + static_cast<std::size_t>(j)];
    curvature += states.topRows(2).transpose() * c.weight * states.topRows(2);
    states = (c.by_state * states).eval();
    states.middleCols<2>(2 * j) += c.by_volts;
    curvature.diagonal().segment<2>(2 * j).array() += p.volts_weight;
    low.segment<2>(2 * j) = (p.offset - c.feedforward).array() - p.voltage;
    high.segment<2>(2 * j) = (p.offset - c.feedforward).array() + p.voltage;
  }
  curvature += states.transpose() *
               gains.horizon[p.cycle + static_cast<std::size_t>(count) - 1].value * states;
  Eigen::VectorXd w = Eigen::VectorXd::Zero(size + 1);
  w[size] = 1.0;
  for (int round = 0; round < 20000; ++round)
  {
    double moved = 0.0;
    for (Eigen::Index i = 0; i < size; ++i)
    {
      const double to =
        std::clamp(w[i] - curvature.row(i).dot(w) / curvature(i, i), low[i], high[i]);
      moved = std::max(moved, std::abs(to - w[i]));
      w[i] = to;
    }
    if (moved < 1e-12)
    {
      break;
    }
  }
  return w.head<2>() - p.offset;
}

TEST(RecedingHorizon, IsTheRegulatorWhereNoLimitIsInTheWay)
{
  RecedingHorizon horizon(50, 8, 1.0);
  for (const std::size_t cycle :
       {std::size_t{0}, std::size_t{500}, loop().gains.horizon.size() - 3})
  {
    const Eigen::Vector4d error(1e-3, -2e-3, 0.01, 0.02);
    const auto problem = problem_at(cycle, error, 100.0);
    const auto answer = horizon.solve(loop().gains, problem);
    EXPECT_EQ(answer.end, End::free);
    const Eigen::Vector2d regulator = -loop().gains.feedback[cycle] * error - problem.offset;
    EXPECT_EQ(answer.volts, regulator) << "to the last bit";
  }
}

TEST(RecedingHorizon, IsTheMinimumWithinTheLimits)
{
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int bounded = 0;
  for (int n = 0; n < 60; ++n)
  {
    RecedingHorizon horizon(12, 20, 1.0);
    const auto cycle = static_cast<std::size_t>(1000.0 + 900.0 * uniform(random));
    const Eigen::Vector4d error =
      Eigen::Vector4d(0.05, 0.05, 1.0, 1.0)
        .cwiseProduct(
          Eigen::Vector4d(uniform(random), uniform(random), uniform(random), uniform(random)));
    const auto problem = problem_at(cycle, error, 1.3);
    const auto answer = horizon.solve(loop().gains, problem);
    ASSERT_NE(answer.end, End::unfinished) << n;
    bounded += answer.end == End::bounded ? 1 : 0;
    EXPECT_LT((answer.volts - by_descent(loop().gains, problem, 12)).norm(), 1e-6) << n;
  }
  EXPECT_GT(bounded, 30);
}

TEST(RecedingHorizon, AsksForNoMoreThanTheLimit)
{
  RecedingHorizon horizon(50, 20, 1.0);
  for (std::size_t cycle = 100; cycle < 160; ++cycle)
  {
    const auto problem = problem_at(cycle, {0.1, -0.1, 0.0, 0.0}, 2.0);
    const auto answer = horizon.solve(loop().gains, problem);
    ASSERT_EQ(answer.end, End::bounded);
    const Eigen::Vector2d volts = answer.volts + loop().gains.horizon[cycle].feedforward;
    EXPECT_LE(volts.cwiseAbs().maxCoeff(), 2.0 + 1e-8);
  }
}

std::int64_t fake_now = 0;
std::int64_t slow_clock() noexcept { return fake_now += 1'000'000; }

TEST(RecedingHorizon, SaysSoWhenTheTimeIsOver)
{
  RecedingHorizon horizon(50, 20, 1e-4);
  const auto problem = problem_at(100, {0.1, -0.1, 0.0, 0.0}, 2.0);
  horizon.set_clock(slow_clock);
  EXPECT_EQ(horizon.solve(loop().gains, problem).end, End::unfinished);
  horizon.set_clock(nullptr);
  horizon.reset();
  EXPECT_EQ(horizon.solve(loop().gains, problem).end, End::bounded);
}

TEST(RecedingHorizon, SaysSoWhenTheSweepsAreOver)
{
  RecedingHorizon horizon(50, 1, 1.0);
  const auto problem = problem_at(100, {0.1, -0.1, 0.0, 0.0}, 2.0);
  EXPECT_EQ(horizon.solve(loop().gains, problem).end, End::unfinished);
}

TEST(RecedingHorizon, NumbersThatAreNoneComeOutAsSuch)
{
  RecedingHorizon horizon(50, 8, 1.0);
  const auto answer =
    horizon.solve(loop().gains, problem_at(100, {std::nan(""), 0.0, 0.0, 0.0}, 2.0));
  EXPECT_TRUE(answer.end == End::unfinished || !answer.volts.allFinite());
}

/// Plays the first cycles of the plan with angles that are off by `error`.
ControlOutput played_off_the_path(ControlCore & core, double error)
{
  EXPECT_TRUE(core.set_plan(&loop().plan, &loop().gains));
  ControlOutput output;
  Eigen::Vector2d angle = loop().plan.start();
  for (int k = 1; k < 6; ++k)
  {
    ControlInput input;
    input.time_ns = input.sample_time_ns = k * std::int64_t{1'000'000};
    input.angle = angle;
    input.command = k == 1 ? ControlCommand::start : ControlCommand::none;
    output = core.update(input);
    angle = output.reference.phi + Eigen::Vector2d(error, -error) * k / 5.0;
  }
  return output;
}

TEST(ControlCore, UsesTheRegulatorsAnswerWhereTheHorizonDoesNotFinishAndCountsIt)
{
  RobotParameters weak = loop().robot.parameters();
  weak.limits.voltage = 1.0;
  const RobotModel robot(weak);
  ControllerSettings settings = load_controller_settings(config_path("controller_tvlqr.yaml"));
  settings.guard.jump_distance = 0.5;
  const auto volts_of = [&](FeedbackMethod method, ReadClock clock, std::int64_t & unfinished) {
    settings.gains.method = method;
    ControlCore core(robot, settings, ControlMode::feedforward_and_feedback, 1'000'000);
    core.set_clock(clock);
    const Eigen::Vector2d volts = played_off_the_path(core, 0.01).volts;
    unfinished = core.unfinished_horizons();
    return volts;
  };
  std::int64_t regulator = 0, late = 0, in_time = 0;
  const Eigen::Vector2d expected = volts_of(FeedbackMethod::tvlqr, nullptr, regulator);
  EXPECT_EQ(volts_of(FeedbackMethod::mpc, slow_clock, late), expected);
  volts_of(FeedbackMethod::mpc, nullptr, in_time);
  EXPECT_EQ(regulator, 0);
  EXPECT_GT(late, 0);
  EXPECT_EQ(in_time, 0);
}

TEST(ControlCore, DoesNotTakeGainsWithoutAHorizonForMpc)
{
  ControllerSettings settings = load_controller_settings(config_path("controller_tvlqr.yaml"));
  settings.gains.method = FeedbackMethod::mpc;
  ControlCore core(loop().robot, settings, ControlMode::feedforward_and_feedback, 1'000'000);
  const LoopGains without = make_loop_gains(loop().robot, loop().plan, 1e-3);
  EXPECT_FALSE(core.set_plan(&loop().plan, &without));
  EXPECT_TRUE(core.set_plan(&loop().plan, &loop().gains));
}

}  // namespace
}  // namespace fivebar_control::test
