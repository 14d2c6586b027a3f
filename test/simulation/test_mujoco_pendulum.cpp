// SPDX-License-Identifier: Apache-2.0
// MuJoCo as a witness: bodies, hinges and a loop that a stiff spring closes.
#include <gtest/gtest.h>

#include <cmath>

#include "fivebar_control/controller/balancer.hpp"
#include "fivebar_control/planner/balance_planner.hpp"
#include "fivebar_control/simulation/pendulum_robot.hpp"
#include "fivebar_control/support/errors.hpp"
#include "model/pendulums.hpp"

namespace fivebar_control
{
namespace
{

using test::degrees;

double largest_difference(
  const RobotModel & robot, const PendulumParameters & pendulum,
  const PendulumState<double> & start, double step)
{
  const auto ours = make_pendulum_engine(lump(robot, pendulum), 1e-4);
  const auto other = make_mujoco_pendulum(robot, pendulum, step);
  ours->reset(start);
  other->reset(start);
  const auto volts = [](double t) {
    return Eigen::Vector2d(1.5 * std::sin(9.0 * t), -1.0 + 2.0 * std::cos(14.0 * t));
  };
  double largest = 0.0;
  constexpr double period = 1e-3;
  for (int n = 0; n < 500; ++n)
  {
    const double t = period * n;
    ours->advance(volts(t), volts(t + period), period);
    other->advance(volts(t), volts(t + period), period);
    largest = std::max(largest, (ours->state() - other->state()).head<4>().cwiseAbs().maxCoeff());
  }
  return largest;
}

}  // namespace

TEST(MujocoPendulum, AnglesAreOursForHalfASecond)
{
  EXPECT_LT(
    largest_difference(
      test::default_robot(), test::published_pendulum(),
      test::tilted(test::default_robot(), -10.0, -15.0), 2.5e-5),
    1e-5);
  EXPECT_LT(
    largest_difference(
      test::default_robot(), test::uneven_pendulum(),
      test::tilted(test::default_robot(), 160.0, 10.0), 2.5e-5),
    1e-5);
}

TEST(MujocoPendulum, ARobotWithUnequalLinksInAnotherPoseIsOurs)
{
  const RobotModel robot = test::unequal_robot();
  PendulumState<double> x = test::tilted(robot, 5.0, -8.0);
  x.tail<4>() << 0.5, -0.3, 0.4, 0.2;
  RobotParameters smooth = robot.parameters();
  for (Friction<double> & friction : smooth.physics.friction)
  {
    friction.coulomb = 0.0;
  }
  EXPECT_LT(largest_difference(RobotModel(smooth), test::uneven_pendulum(), x, 2.5e-5), 1e-5);
}

TEST(MujocoPendulum, WhatItCannotModelIsRefused)
{
  EXPECT_THROW(
    make_mujoco_pendulum(
      test::default_robot(), test::published_pendulum(PendulumAxes::parallel), 1e-4),
    InputError);
  RobotParameters sticky = test::default_robot().parameters();
  sticky.physics.friction[0].coulomb = 0.01;
  EXPECT_THROW(
    make_mujoco_pendulum(RobotModel(sticky), test::published_pendulum(), 1e-4), InputError);
}

TEST(MujocoPendulum, StandsInTheClosedLoopWithAWrongModel)
{
  const RobotModel robot = test::default_robot();
  BalanceRequest request;
  request.pendulum = test::published_pendulum();
  BalanceStage stage;
  stage.tilt = {degrees(-10.0), degrees(-15.0)};
  stage.weights.velocity = 0.05;
  stage.weights.end_position = 1.0;
  request.stages = {stage};
  const BalancePlan plan = make_balance_plan(robot, request).plan;
  const PendulumConstants<double> k = lump(robot, request.pendulum);
  Random random(20261119, 3);
  const RandomPendulum truth = random_pendulum(robot, request.pendulum, 0.1, random);
  PendulumRobot simulated(
    make_mujoco_pendulum(RobotModel(truth.robot), truth.pendulum, 1e-4), {}, plan.states.front());
  BalanceSettings settings;
  settings.hold_time = 3.0;
  Balancer balancer(
    robot, request.pendulum, make_balance_gains(k, robot.parameters().home, plan, 1e-3), settings);
  balancer.request_start();
  for (std::int64_t now = 0; now < 6'000'000'000; now += 1'000'000)
  {
    simulated.advance(balancer.update(simulated.read(), true, now), 1e-3);
    if (balancer.state() == BalanceState::finished)
    {
      break;
    }
  }
  EXPECT_EQ(balancer.state(), BalanceState::finished) << describe(balancer.finding());
  EXPECT_LT(tilt_of(k, simulated.truth()), degrees(0.5));
}

}  // namespace fivebar_control
