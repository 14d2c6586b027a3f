// SPDX-License-Identifier: Apache-2.0
#include <urdf/model.h>

#include <Eigen/Geometry>
#include <ament_index_cpp/get_package_share_directory.hpp>
#include <cmath>
#include <hardware_interface/component_parser.hpp>

#include "described.hpp"
#include "fivebar_control/model/joint_states.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "system_fixture.hpp"

namespace fivebar_control::test
{

/// What the installed xacro makes of a robot file.
std::string described(const std::string & robot_file)
{
  return described(
    ament_index_cpp::get_package_share_directory("fivebar_control"), "robot:=" + robot_file);
}

/// The description and the robot file's own reader, for one robot file.
class Description : public testing::TestWithParam<const char *>
{
protected:
  void SetUp() override { ASSERT_TRUE(urdf_.initString(text_)); }

  /// In the plane: where `link` begins and its direction, with these joint angles.
  struct Frame
  {
    Eigen::Vector2d origin;
    double angle;
  };
  Frame frame(const std::string & link, const std::map<std::string, double> & angles) const
  {
    const auto joint = urdf_.getLink(link)->parent_joint;
    if (!joint)
    {
      return {Eigen::Vector2d::Zero(), 0.0};
    }
    const Frame parent = frame(joint->parent_link_name, angles);
    const auto & offset = joint->parent_to_joint_origin_transform.position;
    const auto angle = angles.find(joint->name);
    return {
      parent.origin + Eigen::Rotation2Dd(parent.angle) * Eigen::Vector2d(offset.x, offset.y),
      parent.angle + (angle == angles.end() ? 0.0 : angle->second)};
  }

  const std::string file_ = config_path(GetParam());
  const RobotModel robot_ = load_robot(file_);
  const std::string text_ = described(file_);
  urdf::Model urdf_;
};

TEST_P(Description, HasTheMassesCentresAndInertiasOfTheRobotFile)
{
  for (std::size_t i = 0; i < 4; ++i)
  {
    const auto & expected = robot_.physics().links[i];
    const auto inertial = urdf_.getLink("link_" + std::to_string(i + 1))->inertial;
    ASSERT_NE(inertial, nullptr);
    EXPECT_DOUBLE_EQ(inertial->mass, expected.mass);
    EXPECT_DOUBLE_EQ(inertial->izz, expected.inertia);
    EXPECT_DOUBLE_EQ(inertial->origin.position.x, expected.center[0]);
    EXPECT_DOUBLE_EQ(inertial->origin.position.y, expected.center[1]);
  }
}

TEST_P(Description, HasTheLimitsOfTheRobotFile)
{
  const std::array<const char *, 2> names{"joint_1", "joint_4"};
  for (std::size_t i = 0; i < 2; ++i)
  {
    const auto limits = urdf_.getJoint(names[i])->limits;
    EXPECT_DOUBLE_EQ(limits->lower, robot_.limits().joint_minimum[i]);
    EXPECT_DOUBLE_EQ(limits->upper, robot_.limits().joint_maximum[i]);
    EXPECT_DOUBLE_EQ(limits->velocity, robot_.limits().joint_speed);
  }
}

/// Pivots, lengths and the sense of every angle at once: both branches meet in P.
TEST_P(Description, ClosesTheLoopAtHomeWhereTheModelHasTheEndEffector)
{
  const Eigen::Vector2d home = robot_.parameters().home;
  const JointStates joints = joint_states(robot_.kinematics(), home, Eigen::Vector2d::Zero());
  const std::map<std::string, double> angles{
    {"joint_1", joints.angle[0]},
    {"joint_4", joints.angle[1]},
    {"joint_2", joints.angle[2]},
    {"joint_3", joints.angle[3]}};
  const auto pose = robot_.kinematics().forward(home);
  ASSERT_TRUE(pose);
  EXPECT_LT((frame("link_1", angles).origin - robot_.physics().pivot_1).norm(), 1e-12);
  EXPECT_LT((frame("link_4", angles).origin - robot_.physics().pivot_4).norm(), 1e-12);
  EXPECT_LT((frame("link_2", angles).origin - pose->elbow_1).norm(), 1e-12);
  EXPECT_LT((frame("link_3", angles).origin - pose->elbow_4).norm(), 1e-12);
  EXPECT_LT((frame("end_effector", angles).origin - pose->end_effector).norm(), 1e-12);
  const Frame other = frame("link_3", angles);
  const Eigen::Vector2d tip =
    other.origin +
    Eigen::Rotation2Dd(other.angle) * Eigen::Vector2d(robot_.physics().links[2].length, 0.0);
  EXPECT_LT((tip - pose->end_effector).norm(), 1e-12);
}

TEST_P(Description, TellsRos2ControlTheHomePoseAndTheRobotFile)
{
  const auto hardware = hardware_interface::parse_control_resources_from_urdf(text_);
  ASSERT_EQ(hardware.size(), 1U);
  EXPECT_EQ(hardware[0].hardware_plugin_name, "fivebar_control/FiveBarSystem");
  EXPECT_EQ(hardware[0].hardware_parameters.at("robot"), file_);
  for (std::size_t i = 0; i < 2; ++i)
  {
    const auto & joint = hardware[0].joints.at(i);
    EXPECT_EQ(joint.name, i == 0 ? "joint_1" : "joint_4");
    EXPECT_EQ(joint.state_interfaces.at(0).name, "position");
    EXPECT_DOUBLE_EQ(
      std::stod(joint.state_interfaces[0].initial_value),
      robot_.parameters().home[static_cast<Eigen::Index>(i)]);
  }
  // The system accepts its own description.
  SystemUnderTest system(hardware[0]);
  EXPECT_EQ(system.init_result(), SystemUnderTest::CallbackReturn::SUCCESS);
}

INSTANTIATE_TEST_SUITE_P(
  RobotFiles, Description, testing::Values("robot.yaml", "robots/unequal.yaml"));

}  // namespace fivebar_control::test
