// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "fivebar_control/model/joint_states.hpp"
#include "fivebar_control/model/motor_effort.hpp"
#include "model/robots.hpp"

namespace fivebar_control
{

TEST(JointStates, PassiveAnglesAndSpeedsAreThoseOfTheClosedLinkage)
{
  const RobotModel robot = test::unequal_robot();
  test::RandomStates random(robot, 5);
  for (int i = 0; i < 1000; ++i)
  {
    const Eigen::Vector4d x = random.state();
    const JointStates joints = joint_states(robot.kinematics(), x.head<2>(), x.tail<2>());
    const Motion2 passive =
      robot.kinematics().passive_motion({x.head<2>(), x.tail<2>(), Eigen::Vector2d::Zero()});
    const auto turn = [](double angle) { return std::remainder(angle, 2.0 * std::acos(-1.0)); };
    EXPECT_NEAR(turn(joints.angle[0] + joints.angle[2] - passive.position[0]), 0.0, 1e-12);
    EXPECT_NEAR(turn(joints.angle[1] + joints.angle[3] - passive.position[1]), 0.0, 1e-12);
    const double scale = 1.0 + passive.velocity.norm();
    EXPECT_NEAR(joints.speed[0] + joints.speed[2], passive.velocity[0], 1e-12 * scale);
    EXPECT_NEAR(joints.speed[1] + joints.speed[3], passive.velocity[1], 1e-12 * scale);
  }
}

TEST(JointStates, AreNotANumberWhereTheLinkageCannotClose)
{
  const RobotModel robot = test::unequal_robot();
  const JointStates joints = joint_states(robot.kinematics(), {3.1, 0.0}, {0.0, 0.0});
  ASSERT_FALSE(robot.kinematics().forward({3.1, 0.0}));
  EXPECT_TRUE(std::isnan(joints.angle[2]));
  EXPECT_EQ(joints.angle[0], 3.1);
}

TEST(MotorEffort, IsTheMotorOfTheDynamics)
{
  RobotParameters parameters = test::unequal_robot().parameters();
  parameters.physics.friction = {};
  parameters.physics.friction[0].coulomb_velocity = 1e-3;
  parameters.physics.friction[1].coulomb_velocity = 1e-3;
  const RobotModel robot(parameters);
  for (int i = 0; i < 2; ++i)
  {
    const MotorEffort motor = motor_effort(robot.physics().motors[static_cast<std::size_t>(i)]);
    EXPECT_DOUBLE_EQ(motor.torque(1.0, 0.0), robot.constants().torque_gain[i]);
    EXPECT_DOUBLE_EQ(motor.torque(0.0, 1.0), -robot.constants().damping[i]);
  }
}

}  // namespace fivebar_control
