// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "controller/rig.hpp"
#include "fivebar_control/controller/joint_move.hpp"
#include "fivebar_control/simulation/open_loop.hpp"

namespace fivebar_control::test
{
namespace
{

/// Angles that are a cubic in time, so that Hermite interpolation must be exact.
PlanSamples cubic_plan()
{
  PlanSamples s;
  for (int i = 0; i <= 4; ++i)
  {
    const double t = 0.25 * i;
    s.t.push_back(t);
    s.u1.push_back(2.0 * t);
    s.u4.push_back(i % 2 == 0 ? 0.0 : 1.0);
    s.phi1.push_back(1.0 + t - 2.0 * t * t + 0.5 * t * t * t);
    s.dphi1.push_back(1.0 - 4.0 * t + 1.5 * t * t);
    s.phi4.push_back(t * t);
    s.dphi4.push_back(2.0 * t);
    s.x.push_back(0.0);
    s.y.push_back(0.0);
  }
  return s;
}

TEST(Player, InterpolatesAnglesByTheirCubicAndVoltsByLines)
{
  const PlayablePlan plan(cubic_plan());
  std::size_t interval = 0;
  for (double t = 0.0; t <= 1.0; t += 0.013)
  {
    const Reference r = plan.at(t, interval);
    EXPECT_NEAR(r.phi[0], 1.0 + t - 2.0 * t * t + 0.5 * t * t * t, 1e-14);
    EXPECT_NEAR(r.speed[0], 1.0 - 4.0 * t + 1.5 * t * t, 1e-13);
    EXPECT_NEAR(r.phi[1], t * t, 1e-14);
    EXPECT_NEAR(r.speed[1], 2.0 * t, 1e-13);
    EXPECT_NEAR(r.feedforward[0], 2.0 * t, 1e-14);
  }
  interval = 0;
  EXPECT_NEAR(plan.at(0.3, interval).feedforward[1], 0.8, 1e-14);
}

TEST(Player, HitsEveryNodeOfAPlanExactly)
{
  const PlanSamples & s = gentle_plan();
  const PlayablePlan plan(s);
  std::size_t interval = 0;
  for (std::size_t i = 0; i < s.size(); ++i)
  {
    const Reference r = plan.at(s.t[i], interval);
    ASSERT_NEAR(r.feedforward[0], s.u1[i], 1e-12);
    ASSERT_NEAR(r.phi[1], s.phi4[i], 1e-13);
    ASSERT_NEAR(r.speed[0], s.dphi1[i], 1e-10);
  }
}

TEST(Player, MeansBetweenNodesWhatTheModelDoes)
{
  // The planned volts, linear between nodes, drive the exact model along the interpolated angles.
  const RobotModel robot = default_robot();
  const PlanSamples & s = gentle_plan();
  const PlayablePlan plan(s);
  VoltageHistory history;
  std::size_t interval = 0;
  for (int k = 0; k <= 2000; ++k)
  {
    history.time.push_back(1e-3 * k);
    history.voltage.push_back(plan.at(1e-3 * k, interval).feedforward);
  }
  const std::vector<Eigen::Vector4d> states = simulate(robot, robot.home_state(), history);
  interval = 0;
  for (std::size_t k = 0; k < states.size(); ++k)
  {
    const Reference r = plan.at(history.time[k], interval);
    ASSERT_NEAR(r.phi[0], states[k][0], 1e-6);
    ASSERT_NEAR(r.phi[1], states[k][1], 1e-6);
  }
}

TEST(Player, StaysAtTheLastNodeAfterTheEnd)
{
  const PlayablePlan plan(cubic_plan());
  std::size_t interval = 0;
  const Reference r = plan.at(7.0, interval);
  EXPECT_DOUBLE_EQ(r.phi[1], 1.0);
  EXPECT_DOUBLE_EQ(r.feedforward[0], 2.0);
}

TEST(Player, CountsTimeWithoutDrift)
{
  const PlayablePlan plan(cubic_plan());
  Player player;
  player.rewind(plan);
  for (int i = 0; i < 700'000; ++i)
  {
    player.advance(1'000'000);
  }
  EXPECT_EQ(player.time(), 700.0);
}

TEST(JointMove, StartsAndEndsAtRestAndKeepsItsPeakSpeed)
{
  const JointMove move({0.1, 1.0}, {0.5, 0.9}, 0.8);
  EXPECT_NEAR((move.at(0.0).phi - Eigen::Vector2d(0.1, 1.0)).norm(), 0.0, 1e-15);
  EXPECT_NEAR((move.at(move.duration()).phi - Eigen::Vector2d(0.5, 0.9)).norm(), 0.0, 1e-15);
  EXPECT_EQ(move.at(0.0).speed.norm(), 0.0);
  EXPECT_EQ(move.at(move.duration()).speed.norm(), 0.0);
  double peak = 0.0;
  for (double t = 0.0; t <= move.duration(); t += 1e-4)
  {
    peak = std::max(peak, move.at(t).speed.cwiseAbs().maxCoeff());
  }
  EXPECT_NEAR(peak, 0.8, 1e-6);
}

TEST(Settling, LeavesWithTheSpeedAndComesBackToRest)
{
  Reference begin;
  begin.phi = {0.3, 1.2};
  begin.speed = {2.0, -4.0};
  const Settling settling(begin, 0.2);
  EXPECT_EQ(settling.at(0.0).speed, begin.speed);
  EXPECT_EQ(settling.at(0.2).phi, begin.phi);
  EXPECT_EQ(settling.at(0.2).speed.norm(), 0.0);
  EXPECT_EQ(settling.acceleration(9.0).norm(), 0.0);
  // The derivative of the angle is the speed.
  const double h = 1e-6;
  for (double t = 0.01; t < 0.2; t += 0.01)
  {
    const Eigen::Vector2d slope = (settling.at(t + h).phi - settling.at(t - h).phi) / (2.0 * h);
    EXPECT_NEAR((slope - settling.at(t).speed).norm(), 0.0, 1e-7);
    const Eigen::Vector2d bend = (settling.at(t + h).speed - settling.at(t - h).speed) / (2.0 * h);
    EXPECT_NEAR((bend - settling.acceleration(t)).norm(), 0.0, 1e-5);
    EXPECT_LE(std::abs(settling.at(t).phi[1] - 1.2), 4.0 / 27.0 * 4.0 * 0.2 + 1e-12);
  }
}

}  // namespace
}  // namespace fivebar_control::test
