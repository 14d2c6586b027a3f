// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/plan/joint_trajectory.hpp"

#include <gmock/gmock.h>

#include <random>

#include "fivebar_control/model/runge_kutta.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/plan/playable_plan.hpp"
#include "fivebar_control/support/errors.hpp"
#include "model/robots.hpp"

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;
using Points = std::vector<TrajectoryPoint>;

JointMotion home()
{
  JointMotion motion;
  motion.phi = default_robot().parameters().home;
  return motion;
}

/// Home, there, further, and back home, in 2 s.
Points three_points()
{
  const Eigen::Vector2d phi = home().phi;
  return {
    {0.6, phi + Eigen::Vector2d(0.3, -0.2), {}, {}},
    {1.2, phi + Eigen::Vector2d(0.1, 0.3), {}, {}},
    {2.0, phi, {}, {}}};
}

std::string refusal(const Points & points, const JointMotion & start = home())
{
  try
  {
    plan_of_trajectory(default_robot(), points, start, "goal");
  }
  catch (const InputError & error)
  {
    return error.what();
  }
  return "no refusal";
}

TEST(JointTrajectory, PassesEveryPointAndStandsAtBothEnds)
{
  const JointPath path(three_points(), home(), "goal");
  EXPECT_EQ(path.duration(), 2.0);
  EXPECT_EQ(path.at(0.0).phi, home().phi);
  EXPECT_TRUE(path.at(0.0).speed.isZero(1e-12));
  for (const TrajectoryPoint & point : three_points())
  {
    EXPECT_TRUE(path.at(point.t).phi.isApprox(point.phi, 1e-12)) << point.t;
  }
  EXPECT_TRUE(path.at(2.0).speed.isZero(1e-12));
  EXPECT_TRUE(path.at(2.0).acceleration.isZero(1e-9));
}

TEST(JointTrajectory, AngleSpeedAndAccelerationAreContinuousAndEachTheDerivativeOfTheOther)
{
  const JointPath path(three_points(), home(), "goal");
  const double h = 1e-5;
  for (double t = 0.05; t < 1.95; t += 0.05)
  {
    const JointMotion left = path.at(t - h), here = path.at(t), right = path.at(t + h);
    EXPECT_TRUE(((right.phi - left.phi) / (2.0 * h)).isApprox(here.speed, 1e-5)) << t;
    EXPECT_LT(((right.speed - left.speed) / (2.0 * h) - here.acceleration).norm(), 2e-3) << t;
    EXPECT_LT((right.acceleration - left.acceleration).norm(), 1e-2) << t;
  }
}

TEST(JointTrajectory, KeepsTheSpeedsAndAccelerationsThatAreGiven)
{
  Points points = three_points();
  const Eigen::Vector2d speed(0.4, 0.2), acceleration(-1.0, 2.0);
  points[0].speed = points[1].speed = speed;
  points[2].speed = Eigen::Vector2d::Zero();
  EXPECT_TRUE(JointPath(points, home(), "goal").at(0.6).speed.isApprox(speed, 1e-12));
  for (TrajectoryPoint & point : points)
  {
    point.acceleration = acceleration;
  }
  const JointMotion there = JointPath(points, home(), "goal").at(1.2);
  EXPECT_TRUE(there.speed.isApprox(speed, 1e-12));
  EXPECT_TRUE(there.acceleration.isApprox(acceleration, 1e-9));
}

TEST(JointTrajectory, GoesOnFromAMovingRobotWithoutAJump)
{
  JointMotion start = home();
  start.speed = Eigen::Vector2d(0.5, -0.3);
  start.acceleration = Eigen::Vector2d(2.0, 1.0);
  const JointMotion first = JointPath(three_points(), start, "goal").at(0.0);
  EXPECT_EQ(first.phi, start.phi);
  EXPECT_EQ(first.speed, start.speed);
  EXPECT_TRUE(first.acceleration.isApprox(start.acceleration, 1e-12));
}

TEST(JointTrajectory, TheModelMakesTheMotionWithTheVoltsOfThePlan)
{
  const RobotModel robot = default_robot();
  const Plan plan = plan_of_trajectory(robot, three_points(), home(), "goal");
  const PlanSamples & s = plan.samples;
  EXPECT_EQ(s.t.back(), 2.0);
  Eigen::Vector4d x;
  x << s.phi(0), s.speed(0);
  double largest = 0.0;
  for (std::size_t i = 1; i < s.size(); ++i)
  {
    x = runge_kutta_step<double>(
      robot.constants(), x, s.volts(i - 1), s.volts(i), s.t[i] - s.t[i - 1]);
    largest = std::max(largest, (x.head<2>() - s.phi(i)).cwiseAbs().maxCoeff());
  }
  // Volts are linear between nodes of 1 ms, the inverse dynamics is not quite: microradians.
  EXPECT_LT(largest, 2e-6);
  EXPECT_GT(plan.quality.largest_voltage, 0.1);
}

TEST(JointTrajectory, ItsPlanIsAPlanLikeAnyOther)
{
  const Plan plan = plan_of_trajectory(default_robot(), three_points(), home(), "goal");
  const Plan again = parse_plan(plan_text(plan), "goal.csv");
  EXPECT_EQ(again.curve_name, "goal");
  EXPECT_EQ(again.solver, "inverse dynamics");
  EXPECT_EQ(again.samples.u1, plan.samples.u1);
  EXPECT_NO_THROW(require_plan_fits(again, default_robot(), "goal.csv"));
  EXPECT_EQ(PlayablePlan(again.samples).duration(), 2.0);
}

TEST(JointTrajectory, RefusesPointsWithoutSense)
{
  const Eigen::Vector2d phi = home().phi;
  EXPECT_THAT(refusal({}), HasSubstr("expected 1 to 100000 points, got 0"));
  EXPECT_THAT(refusal({{0.0, phi, {}, {}}}), HasSubstr("takes no time"));
  EXPECT_THAT(refusal({{-1.0, phi, {}, {}}}), HasSubstr("point 1 is at -1 s"));
  EXPECT_THAT(refusal({{1.0, phi, {}, {}}, {1.0, phi, {}, {}}}), HasSubstr("point 2 is at 1 s"));
  EXPECT_THAT(refusal({{1e9, phi, {}, {}}}), HasSubstr("at most 3600 s"));
  EXPECT_THAT(refusal({{std::nan(""), phi, {}, {}}}), HasSubstr("point 1 is at nan s"));
  EXPECT_THAT(
    refusal({{1.0, Eigen::Vector2d(0.0, std::nan("")), {}, {}}}), HasSubstr("angles (0, nan)"));
  const Eigen::Vector2d some(0.1, 0.1);
  EXPECT_THAT(refusal({{1.0, phi, some, {}}}), HasSubstr("ends at rest"));
  EXPECT_THAT(
    refusal({{1.0, phi, some, {}}, {2.0, phi, {}, {}}}), HasSubstr("all points have speeds"));
  EXPECT_THAT(refusal({{1.0, phi, {}, some}}), HasSubstr("accelerations without speeds"));
  EXPECT_THAT(
    refusal({{0.0, phi, some, {}}, {1.0, phi, Eigen::Vector2d(0.0, 0.0), {}}}),
    HasSubstr("the first point has the speeds (0.1, 0.1) rad/s, the robot (0, 0)"));
}

TEST(JointTrajectory, RefusesWhatTheRobotCannotDo)
{
  const Eigen::Vector2d phi = home().phi;
  const Eigen::Vector2d aside(0.3, 0.0);
  EXPECT_THAT(refusal({{0.05, phi + aside, {}, {}}}), HasSubstr("voltage u1"));
  EXPECT_THAT(refusal({{9.0, phi + Eigen::Vector2d(3.0, 0.0), {}, {}}}), HasSubstr("goal: at t"));
  EXPECT_THAT(refusal({{9.0, phi + Eigen::Vector2d(3.1, -1.5), {}, {}}}), HasSubstr("goal: at t"));
}

TEST(JointTrajectory, RandomPointsGiveAPlanThatFitsOrARefusal)
{
  std::mt19937_64 random(18);
  std::uniform_real_distribution<double> some(-1.0, 1.0);
  const auto pair = [&](double size) {
    return Eigen::Vector2d(size * some(random), size * some(random));
  };
  int planned = 0;
  for (int k = 0; k < 150; ++k)
  {
    Points points;
    double t = 0.0;
    const bool speeds = k % 2 == 0;
    for (int i = 0; i < 1 + k % 5; ++i)
    {
      t += 0.05 + 0.4 * std::abs(some(random));
      points.push_back({t, home().phi + pair(0.01 * (k % 40)), {}, {}});
      if (speeds)
      {
        points.back().speed = pair(0.5);
      }
    }
    if (speeds)
    {
      points.back().speed = Eigen::Vector2d::Zero();
    }
    try
    {
      const Plan plan = plan_of_trajectory(default_robot(), points, home(), "goal");
      EXPECT_TRUE(plan_fits(plan, default_robot()));
      ++planned;
    }
    catch (const InputError & error)
    {
      EXPECT_THAT(error.what(), HasSubstr("goal: "));
    }
  }
  EXPECT_GT(planned, 50);
  EXPECT_LT(planned, 150);
}

}  // namespace
}  // namespace fivebar_control::test
