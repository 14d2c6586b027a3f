// SPDX-License-Identifier: Apache-2.0
// The pendulum in the closed loop: planned, played and held on a simulated robot.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "fivebar_control/controller/balancer.hpp"
#include "fivebar_control/planner/balance_planner.hpp"
#include "fivebar_control/simulation/pendulum_robot.hpp"
#include "model/pendulums.hpp"
#include "support/counting_allocator.hpp"

namespace fivebar_control
{
namespace
{

using test::degrees;
constexpr double period = 1e-3;

/// One plan per tilt, made once for all tests.
struct Case
{
  RobotModel robot = test::default_robot();
  PendulumParameters pendulum = test::published_pendulum();
  PendulumConstants<double> constants = lump(robot, pendulum);
  BalancePlan plan;
  BalanceGains gains;

  Case(double a1, double a2, double duration = 1.5)
  {
    BalanceRequest request;
    request.pendulum = pendulum;
    request.duration = duration;
    BalanceStage stage;
    stage.tilt = {degrees(a1), degrees(a2)};
    stage.weights.velocity = 0.05;
    stage.weights.end_position = 1.0;
    request.stages = {stage};
    plan = make_balance_plan(robot, request).plan;
    require_balance_fits(robot, plan);
    gains = make_balance_gains(constants, robot.parameters().home, plan, period);
  }
  Balancer balancer(const BalanceSettings & settings = {}) const
  {
    Balancer b(robot, pendulum, gains, settings);
    b.request_start();
    return b;
  }
};

const Case & from_18_degrees()
{
  static const Case one(-10.0, -15.0);
  return one;
}

struct Outcome
{
  BalanceState state = BalanceState::idle;
  BalanceFinding finding;
  double time = 0.0, largest_volts = 0.0;
  double tilt_held = 0.0, displacement_held = 0.0;  ///< largest in the last 8 s
};

Outcome run(const Case & c, Balancer & balancer, PendulumRobot & robot)
{
  const Eigen::Vector2d home =
    end_effector_at(c.constants.robot.geometry, c.robot.parameters().home);
  Outcome outcome;
  std::int64_t now = 0;
  for (int n = 0; n < 30000; ++n, now += 1000000)
  {
    const Eigen::Vector2d volts = balancer.update(robot.read(), true, now);
    outcome.largest_volts = std::max(outcome.largest_volts, volts.cwiseAbs().maxCoeff());
    robot.advance(volts, period);
    if (balancer.state() == BalanceState::finished || balancer.state() == BalanceState::fault)
    {
      break;
    }
    const PendulumState<double> x = robot.truth();
    if (balancer.time() > c.plan.duration() + 2.0)
    {
      outcome.tilt_held = std::max(outcome.tilt_held, tilt_of(c.constants, x));
      outcome.displacement_held = std::max(
        outcome.displacement_held,
        (end_effector_at(c.constants.robot.geometry, x.head<2>()) - home).norm());
    }
  }
  outcome.state = balancer.state();
  outcome.finding = balancer.finding();
  outcome.time = balancer.time();
  return outcome;
}

PendulumPlant plant_with(std::uint64_t seed = 1)
{
  PendulumPlant plant;
  plant.supply_voltage = 10.0;
  plant.seed = seed;
  return plant;
}

}  // namespace

TEST(Balance, StandsForTenSecondsFromEachPublishedTiltWithinTenVolts)
{
  for (const auto & [a1, a2] : {std::pair{-5.0, -5.0}, {-10.0, -10.0}, {-10.0, -15.0}})
  {
    const Case c(a1, a2);
    Balancer balancer = c.balancer();
    PendulumRobot robot(
      make_pendulum_engine(c.constants, 2.5e-4), plant_with(), c.plan.states.front());
    const Outcome outcome = run(c, balancer, robot);
    EXPECT_EQ(outcome.state, BalanceState::finished) << describe(outcome.finding);
    EXPECT_GE(outcome.time, c.plan.duration() + 10.0 - 1e-6);
    EXPECT_LE(outcome.largest_volts, 10.0);
    EXPECT_LT(outcome.tilt_held, degrees(0.2));
    EXPECT_LT(outcome.displacement_held, 2e-3);
  }
}

TEST(Balance, StandsOnRobotsWhoseParametersAreTenPercentWrong)
{
  const Case & c = from_18_degrees();
  for (std::uint64_t n = 0; n < 12; ++n)
  {
    Random random(20261119, n);
    const RandomPendulum truth = random_pendulum(c.robot, c.pendulum, 0.1, random);
    Balancer balancer = c.balancer();
    PendulumRobot robot(
      make_pendulum_engine(truth.constants, 2.5e-4), plant_with(n), c.plan.states.front());
    const Outcome outcome = run(c, balancer, robot);
    EXPECT_EQ(outcome.state, BalanceState::finished) << n << ' ' << describe(outcome.finding);
    EXPECT_LT(outcome.tilt_held, degrees(0.5)) << n;
  }
}

// The plan alone is open loop: without feedback a pendulum that is a little different falls.
TEST(Balance, FallsWithoutFeedback)
{
  const Case & c = from_18_degrees();
  Random random(20261119, 0);
  const RandomPendulum truth = random_pendulum(c.robot, c.pendulum, 0.1, random);
  const auto engine = make_pendulum_engine(truth.constants, 2.5e-4);
  engine->reset(c.plan.states.front());
  double tilt = 0.0;
  for (double t = 0.0; t < c.plan.duration() && tilt < 0.7; t += period)
  {
    const Eigen::Vector2d volts = balance_reference(c.plan, t).feedforward;
    engine->advance(volts, volts, period);
    tilt = tilt_of(c.constants, engine->state());
  }
  EXPECT_GE(tilt, 0.7);
}

TEST(Balance, TheReferenceIsTheModelsMotionBetweenTheNodes)
{
  const Case & c = from_18_degrees();
  const auto engine = make_pendulum_engine(c.constants, 1e-3);
  engine->reset(c.plan.states.front());
  for (double t = 0.0; t < 0.3; t += period)
  {
    const BalanceReference r = balance_reference(c.plan, t);
    EXPECT_LT((engine->state() - r.state).head<4>().cwiseAbs().maxCoeff(), 1e-4) << t;
    engine->advance(r.feedforward, balance_reference(c.plan, t + period).feedforward, period);
  }
}

TEST(Balance, TheUpdateDoesNotAllocate)
{
  const Case & c = from_18_degrees();
  Balancer balancer = c.balancer();
  PendulumRobot robot(
    make_pendulum_engine(c.constants, 2.5e-4), plant_with(), c.plan.states.front());
  std::int64_t now = 0;
  const std::size_t before = test::allocation_count();
  for (int n = 0; n < 2500; ++n, now += 1000000)
  {
    robot.advance(balancer.update(robot.read(), n % 7 != 3, now), period);
  }
  EXPECT_EQ(balancer.state(), BalanceState::holding);
  balancer.update(Eigen::Vector4d::Constant(NAN), true, now);
  EXPECT_EQ(balancer.state(), BalanceState::fault);
  EXPECT_EQ(test::allocation_count(), before);
}

// Every row of the guard: what happens, and that the volts are zero in the same cycle.
class BalanceGuard : public testing::Test
{
protected:
  const Case & c = from_18_degrees();
  Balancer balancer = c.balancer();
  PendulumRobot robot{
    make_pendulum_engine(c.constants, 2.5e-4), plant_with(), c.plan.states.front()};
  std::int64_t now = 0;

  Eigen::Vector2d cycle(const Eigen::Vector4d & error = Eigen::Vector4d::Zero(), bool fresh = true)
  {
    const Eigen::Vector2d volts = balancer.update(robot.read() + error, fresh, now);
    robot.advance(volts, period);
    now += 1000000;
    return volts;
  }
  void play(int cycles)
  {
    for (int n = 0; n < cycles; ++n)
    {
      cycle();
    }
    ASSERT_NE(balancer.state(), BalanceState::fault) << describe(balancer.finding());
  }
  void expect_fault(const std::string & reason, const Eigen::Vector2d & volts)
  {
    EXPECT_EQ(balancer.state(), BalanceState::fault);
    EXPECT_EQ(to_string(balancer.finding()), reason) << describe(balancer.finding());
    EXPECT_TRUE(volts.isZero(0.0));
    EXPECT_TRUE(cycle().isZero(0.0)) << "latched";
  }
};

TEST_F(BalanceGuard, ATiltBeyondTheLimitGivesZeroVolts)
{
  play(100);
  // A push: the pendulum is suddenly elsewhere, slowly enough for its encoders.
  Eigen::Vector4d push = Eigen::Vector4d::Zero();
  Eigen::Vector2d volts;
  for (int n = 0; n < 60 && balancer.state() != BalanceState::fault; ++n)
  {
    push[3] += 0.02;
    volts = cycle(push);
  }
  expect_fault("pendulum_over", volts);
}

TEST_F(BalanceGuard, APendulumEncoderThatJumpsGivesZeroVolts)
{
  play(100);
  expect_fault("pendulum_encoder", cycle({0.0, 0.0, 0.3, 0.0}));
}

TEST_F(BalanceGuard, ALinkEncoderThatJumpsGivesZeroVolts)
{
  play(100);
  expect_fault("encoder_jump", cycle({0.3, 0.0, 0.0, 0.0}));
}

TEST_F(BalanceGuard, ReadingsThatAreNoNumbersGiveZeroVolts)
{
  play(100);
  expect_fault("pendulum_encoder", cycle({0.0, 0.0, NAN, 0.0}));
}

TEST_F(BalanceGuard, ReadingsThatFailThreeTimesGiveZeroVolts)
{
  play(100);
  cycle(Eigen::Vector4d::Zero(), false);
  cycle(Eigen::Vector4d::Zero(), false);
  EXPECT_EQ(balancer.state(), BalanceState::playing);
  expect_fault("read_failed", cycle(Eigen::Vector4d::Zero(), false));
}

TEST_F(BalanceGuard, AJointThatLeavesItsRangeGivesZeroVolts)
{
  play(100);
  Eigen::Vector4d away = Eigen::Vector4d::Zero();
  Eigen::Vector2d volts;
  for (int n = 0; n < 100 && balancer.state() != BalanceState::fault; ++n)
  {
    away[0] += 0.04;
    volts = cycle(away);
  }
  EXPECT_EQ(balancer.state(), BalanceState::fault);
  EXPECT_EQ(balancer.finding().kind, BalanceFinding::Kind::linkage);
  EXPECT_TRUE(volts.isZero(0.0));
}

TEST_F(BalanceGuard, LateCyclesGiveZeroVolts)
{
  play(100);
  for (int n = 0; n < 4; ++n)
  {
    now += 3000000;
    cycle();
  }
  EXPECT_EQ(balancer.state(), BalanceState::playing);
  now += 3000000;
  expect_fault("late_cycles", cycle());
}

TEST_F(BalanceGuard, DoesNotStartElsewhereThanThePlan)
{
  Balancer other = c.balancer();
  Eigen::Vector4d angle = c.plan.states.front().head<4>();
  angle[2] += 0.06;
  EXPECT_TRUE(other.update(angle, true, 0).isZero(0.0));
  EXPECT_EQ(other.state(), BalanceState::fault);
  EXPECT_STREQ(to_string(other.finding()), "not_at_start");
}

TEST_F(BalanceGuard, VoltsAreZeroAfterTheHold)
{
  BalanceSettings settings;
  settings.hold_time = 0.2;
  balancer = c.balancer(settings);
  for (int n = 0; n < 1701; ++n)
  {
    cycle();
  }
  EXPECT_EQ(balancer.state(), BalanceState::finished);
  EXPECT_TRUE(cycle().isZero(0.0));
}

TEST(RandomPendulum, KeepsLengthsAndIsARigidBody)
{
  const RobotModel robot = test::default_robot();
  for (std::uint64_t n = 0; n < 200; ++n)
  {
    Random random(7, n);
    const RandomPendulum r = random_pendulum(robot, test::published_pendulum(), 0.1, random);
    const PendulumBody<double> & b = r.pendulum.body;
    EXPECT_EQ(b.length, 0.3365);
    EXPECT_LE(std::abs(b.inertia_second - b.inertia_third), b.inertia_along * (1.0 + 1e-9));
    EXPECT_NE(b.mass, 0.125);
    EXPECT_NEAR(b.mass, 0.125, 0.0125);
    EXPECT_EQ(r.robot.physics.links[2].length, robot.physics().links[2].length);
  }
}

}  // namespace fivebar_control
