// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numbers>

#include "model/robots.hpp"

namespace fivebar_control
{
namespace
{

class KinematicsOfEachRobot : public testing::TestWithParam<const char *>
{
protected:
  RobotModel robot = load_robot(test::config_path(GetParam()));
  test::RandomStates random{robot, 7};
  const Kinematics & kinematics = robot.kinematics();
};

INSTANTIATE_TEST_SUITE_P(
  Robots, KinematicsOfEachRobot, testing::Values("robot.yaml", "robots/unequal.yaml"),
  [](const auto & robot_file) { return robot_file.index == 0 ? "Default" : "Unequal"; });

}  // namespace

TEST(Kinematics, HomePoseIsTheOneOfTheDesign)
{
  const RobotModel robot = test::default_robot();
  const auto pose = robot.kinematics().forward(robot.parameters().home);
  ASSERT_TRUE(pose);
  EXPECT_LT((pose->elbow_1 - Eigen::Vector2d(0.127, 0.0)).norm(), 1e-15);
  EXPECT_LT((pose->elbow_4 - Eigen::Vector2d(0.254, 0.127)).norm(), 1e-15);
  EXPECT_LT((pose->end_effector - Eigen::Vector2d(0.127, 0.127)).norm(), 1e-15);
  EXPECT_NEAR(pose->phi2, std::numbers::pi / 2, 1e-15);
  EXPECT_NEAR(std::abs(pose->phi3), std::numbers::pi, 1e-15);
  EXPECT_NEAR(pose->margins.parallel, 1.0, 1e-15);
  EXPECT_NEAR(pose->margins.serial_1, 1.0, 1e-15);
  EXPECT_NEAR(pose->margins.serial_4, 1.0, 1e-15);
}

TEST_P(KinematicsOfEachRobot, ForwardKinematicsClosesTheLoop)
{
  const auto & links = robot.physics().links;
  for (int n = 0; n < 1000; ++n)
  {
    const Eigen::Vector4d x = random.state();
    const auto pose = kinematics.forward(x.head<2>());
    ASSERT_TRUE(pose);
    EXPECT_NEAR((pose->end_effector - pose->elbow_1).norm(), links[1].length, 1e-14);
    EXPECT_NEAR((pose->end_effector - pose->elbow_4).norm(), links[2].length, 1e-14);
  }
}

TEST_P(KinematicsOfEachRobot, TheTwoAssemblyModesAreMirrorImagesInTheLineOfTheElbows)
{
  Geometry<double> mirrored = kinematics.geometry();
  mirrored.mode = -mirrored.mode;
  const Kinematics other(mirrored);
  for (int n = 0; n < 100; ++n)
  {
    const Eigen::Vector4d x = random.state();
    const auto here = kinematics.forward(x.head<2>());
    const auto there = other.forward(x.head<2>());
    ASSERT_TRUE(here && there);
    const Eigen::Vector2d line = (here->elbow_4 - here->elbow_1).normalized();
    const Eigen::Vector2d a = here->end_effector - here->elbow_1;
    const Eigen::Vector2d b = there->end_effector - there->elbow_1;
    EXPECT_NEAR(a.dot(line), b.dot(line), 1e-14);
    EXPECT_NEAR(cross<double>(line, a), -cross<double>(line, b), 1e-14);
    EXPECT_EQ(cross<double>(line, a) > 0.0, kinematics.geometry().mode > 0.0);
  }
}

TEST_P(KinematicsOfEachRobot, InverseKinematicsFindsEveryWorkingModeAndEachReachesThePoint)
{
  for (int n = 0; n < 1000; ++n)
  {
    const Eigen::Vector4d x = random.state();
    const Eigen::Vector2d point = kinematics.forward(x.head<2>())->end_effector;
    const auto solutions = kinematics.inverse_all(point);
    ASSERT_EQ(solutions.count, 4u);
    bool found = false;
    for (const InverseSolution & solution : solutions.list)
    {
      Geometry<double> geometry = kinematics.geometry();
      geometry.mode = static_cast<double>(solution.assembly_mode);
      const Kinematics assembled(geometry);
      const auto pose = assembled.forward(solution.phi);
      ASSERT_TRUE(pose);
      // Forward kinematics is the worse conditioned the nearer links 2 and 3 are to a line.
      EXPECT_LT((pose->end_effector - point).norm() * pose->margins.parallel, 1e-13);
      EXPECT_EQ(assembled.working_mode(solution.phi), solution.working_mode);
      const Eigen::Vector2d difference = solution.phi - x.head<2>();
      found = found || (std::abs(std::remainder(difference[0], 2 * std::numbers::pi)) < 1e-9 &&
                        std::abs(std::remainder(difference[1], 2 * std::numbers::pi)) < 1e-9);
    }
    EXPECT_TRUE(found);
  }
}

TEST_P(KinematicsOfEachRobot, VelocityAndAccelerationMapsUndoEachOther)
{
  for (int n = 0; n < 1000; ++n)
  {
    const Eigen::Vector4d x = random.state();
    Motion2 driven;
    driven.position = x.head<2>();
    driven.velocity = x.tail<2>();
    driven.acceleration = {random.uniform(-50, 50), random.uniform(-50, 50)};
    const Motion2 point = kinematics.forward_motion(driven);
    const auto back =
      kinematics.inverse_motion(point, kinematics.working_mode(x.head<2>()), x.head<2>());
    ASSERT_TRUE(back);
    EXPECT_LT((back->position - driven.position).norm(), 1e-11);
    EXPECT_LT((back->velocity - driven.velocity).norm(), 1e-10);
    EXPECT_LT((back->acceleration - driven.acceleration).norm(), 1e-8);
  }
}

TEST_P(KinematicsOfEachRobot, MotionOfThePointAndThePassiveLinksAgreesWithDifferences)
{
  const double h = 1e-5;
  for (int n = 0; n < 100; ++n)
  {
    const Eigen::Vector4d x = random.state();
    Motion2 driven;
    driven.position = x.head<2>();
    driven.velocity = x.tail<2>();
    driven.acceleration = {random.uniform(-20, 20), random.uniform(-20, 20)};
    const auto at = [&](double t) {
      Motion2 moved = driven;
      moved.position += t * driven.velocity + 0.5 * t * t * driven.acceleration;
      moved.velocity += t * driven.acceleration;
      return moved;
    };
    const Motion2 point = kinematics.forward_motion(driven);
    const Motion2 passive = kinematics.passive_motion(driven);
    const Motion2 p1 = kinematics.forward_motion(at(h));
    const Motion2 p0 = kinematics.forward_motion(at(-h));
    EXPECT_LT(((p1.position - p0.position) / (2 * h) - point.velocity).norm(), 1e-6);
    EXPECT_LT(((p1.velocity - p0.velocity) / (2 * h) - point.acceleration).norm(), 1e-4);
    const Motion2 q1 = kinematics.passive_motion(at(h));
    const Motion2 q0 = kinematics.passive_motion(at(-h));
    EXPECT_LT(((q1.velocity - q0.velocity) / (2 * h) - passive.acceleration).norm(), 1e-3);
  }
}

TEST_P(KinematicsOfEachRobot, PointsOutOfReachAreOutsideTheWorkspace)
{
  const auto home = kinematics.forward(robot.parameters().home);
  ASSERT_TRUE(home);
  EXPECT_TRUE(kinematics.in_workspace(home->end_effector, robot.working_mode()));
  EXPECT_FALSE(kinematics.in_workspace({1.0, 1.0}, robot.working_mode()));
  EXPECT_FALSE(kinematics.inverse({1.0, 1.0}, robot.working_mode()));
  EXPECT_EQ(kinematics.inverse_all({1.0, 1.0}).count, 0u);
  EXPECT_FALSE(kinematics.inverse_motion(
    {Eigen::Vector2d(1.0, 1.0), {}, {}}, robot.working_mode(), robot.parameters().home));
}

TEST(Kinematics, MarginsVanishAtBothKindsOfSingularity)
{
  const RobotModel robot = test::default_robot();
  const Kinematics & kinematics = robot.kinematics();
  // With both driven links upright the elbows are 2 l apart: the distal links lie on a line.
  const double l = 0.127;
  const auto stretched =
    kinematics.forward({std::numbers::pi / 2 - 1e-6, std::numbers::pi / 2 + 1e-6});
  ASSERT_TRUE(stretched);
  EXPECT_LT(stretched->margins.parallel, 1e-2);
  // P at the full reach of the left arm.
  const Eigen::Vector2d far = 2 * l * Eigen::Vector2d(std::cos(1.0), std::sin(1.0)) * (1 - 1e-9);
  const auto solution = kinematics.inverse(far, {1, 1});
  ASSERT_TRUE(solution);
  Geometry<double> geometry = kinematics.geometry();
  geometry.mode = static_cast<double>(solution->assembly_mode);
  EXPECT_LT(Kinematics(geometry).forward(solution->phi)->margins.serial_1, 1e-3);
}

}  // namespace fivebar_control
