// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <sdf/sdf.hh>

#include "fivebar_control/simulation/gazebo_description.hpp"
#include "model/robots.hpp"

// Read by the library that Gazebo reads with.

namespace fivebar_control
{
namespace
{

std::string text_of(const sdf::Errors & errors)
{
  std::string text;
  for (const sdf::Error & error : errors)
  {
    text += error.Message() + "\n";
  }
  return text;
}

class GazeboDescription : public testing::TestWithParam<const char *>
{
protected:
  RobotModel robot = load_robot(test::config_path(GetParam()));
  sdf::Root root;

  const sdf::Model & load_model(const GazeboOptions & options = {})
  {
    const sdf::Errors errors = root.LoadSdfString(gazebo_urdf_of(robot, options));
    EXPECT_TRUE(errors.empty()) << text_of(errors);
    if (root.Model() == nullptr)
    {
      throw std::runtime_error("no model: " + text_of(errors));
    }
    return *root.Model();
  }
};

/// x, y and the angle about z of a link in the model's frame.
Eigen::Vector3d place_of(const sdf::Model & model, const std::string & link)
{
  auto pose = model.LinkByName(link)->SemanticPose();
  std::decay_t<decltype(model.RawPose())> resolved;
  const sdf::Errors errors = pose.Resolve(resolved, "__model__");
  EXPECT_TRUE(errors.empty()) << text_of(errors);
  EXPECT_NEAR(resolved.Pos().Z(), 0.0, 1e-12);
  return {resolved.Pos().X(), resolved.Pos().Y(), resolved.Rot().Yaw()};
}

}  // namespace

TEST_P(GazeboDescription, WorldIsValidAndUsesDartWithPgs)
{
  GazeboOptions options;
  options.time_step = 5e-4;
  const sdf::Errors errors = root.LoadSdfString(gazebo_world_of(robot, options));
  ASSERT_TRUE(errors.empty()) << text_of(errors);
  ASSERT_EQ(root.WorldCount(), 1U);
  const sdf::World & world = *root.WorldByIndex(0);
  const sdf::Physics & physics = *world.PhysicsByIndex(0);
  EXPECT_EQ(physics.EngineType(), "dart");
  EXPECT_EQ(physics.MaxStepSize(), 5e-4);
  EXPECT_EQ(
    physics.Element()->GetElement("dart")->GetElement("solver")->Get<std::string>("solver_type"),
    "pgs");
  EXPECT_EQ(world.Gravity().X(), robot.physics().gravity.x());
  EXPECT_EQ(world.Gravity().Y(), robot.physics().gravity.y());
  EXPECT_EQ(world.Gravity().Z(), 0.0);
}

TEST_P(GazeboDescription, ModelPassesTheChecksOfTheSdfTool)
{
  load_model();
  EXPECT_TRUE(sdf::checkCanonicalLinkNames(&root));
  EXPECT_TRUE(sdf::checkFrameAttachedToNames(&root));
  EXPECT_TRUE(sdf::checkFrameAttachedToGraph(&root));
  EXPECT_TRUE(sdf::checkPoseRelativeToGraph(&root));
  sdf::Errors errors;
  sdf::checkJointParentChildNames(&root, errors);
  EXPECT_TRUE(errors.empty()) << text_of(errors);
  EXPECT_TRUE(sdf::recursiveSameTypeUniqueNames(root.Element()));
  EXPECT_TRUE(sdf::recursiveSiblingUniqueNames(root.Element()));
}

TEST_P(GazeboDescription, LinksHaveTheMassesAndInertiasOfTheRobotFile)
{
  const sdf::Model & model = load_model();
  const Physics<double> & physics = robot.physics();
  EXPECT_EQ(model.LinkCount(), 6U);
  for (std::size_t i = 0; i < 4; ++i)
  {
    const auto & inertial = model.LinkByName("link_" + std::to_string(i + 1))->Inertial();
    EXPECT_NEAR(inertial.MassMatrix().Mass(), physics.links[i].mass, 1e-15);
    double expected = physics.links[i].inertia;
    if (i == 0 || i == 3)
    {
      const Motor<double> & motor = physics.motors[i == 0 ? 0 : 1];
      expected += motor.gear_ratio * motor.gear_ratio * motor.rotor_inertia;
    }
    EXPECT_NEAR(inertial.MassMatrix().Izz(), expected, 1e-15);
    EXPECT_TRUE(inertial.MassMatrix().IsValid());
    EXPECT_NEAR(inertial.Pose().Pos().X(), physics.links[i].center.x(), 1e-12);
    EXPECT_NEAR(inertial.Pose().Pos().Y(), physics.links[i].center.y(), 1e-12);
  }
}

TEST_P(GazeboDescription, ZeroPoseIsTheClosedHomePose)
{
  const sdf::Model & model = load_model();
  const Eigen::Vector2d home = robot.parameters().home;
  const LinkagePose pose = *robot.kinematics().forward(home);
  const auto expect = [&](const char * link, const Eigen::Vector2d & at, double angle) {
    const Eigen::Vector3d place = place_of(model, link);
    EXPECT_NEAR(place.x(), at.x(), 1e-9) << link;
    EXPECT_NEAR(place.y(), at.y(), 1e-9) << link;
    EXPECT_NEAR(std::remainder(place.z() - angle, 2.0 * M_PI), 0.0, 1e-9) << link;
  };
  expect("link_1", robot.physics().pivot_1, home[0]);
  expect("link_4", robot.physics().pivot_4, home[1]);
  expect("link_2", pose.elbow_1, pose.phi2);
  expect("link_3", pose.elbow_4, pose.phi3);
  expect("end_effector", pose.end_effector, pose.phi2);
}

TEST_P(GazeboDescription, DrivenJointsHaveDampingAndLimitsFromHome)
{
  const sdf::Model & model = load_model();
  const Limits & limits = robot.limits();
  for (const int i : {0, 1})
  {
    const auto index = static_cast<std::size_t>(i);
    const sdf::Joint & joint = *model.JointByName(i == 0 ? "joint_1" : "joint_4");
    const sdf::JointAxis & axis = *joint.Axis();
    const Motor<double> & motor = robot.physics().motors[index];
    const double electric = motor.torque_constant * motor.back_emf_constant / motor.resistance;
    const double damping = motor.gear_ratio * motor.gear_ratio * (electric + motor.damping) +
                           robot.physics().friction[index].viscous;
    EXPECT_NEAR(axis.Damping(), damping, 1e-12);
    EXPECT_NEAR(axis.Lower(), limits.joint_minimum[index] - robot.parameters().home[i], 1e-12);
    EXPECT_NEAR(axis.Upper(), limits.joint_maximum[index] - robot.parameters().home[i], 1e-12);
    EXPECT_EQ(axis.Xyz().Z(), 1.0);
  }
  for (const char * passive : {"joint_2", "joint_3", "end_effector_joint"})
  {
    EXPECT_EQ(model.JointByName(passive)->Axis()->Damping(), 0.0) << passive;
  }
}

TEST_P(GazeboDescription, IsTheRobotOfThePlantFile)
{
  GazeboOptions options;
  options.plant = load_plant(test::config_path("plants/mismatched.yaml"));
  const RobotModel plant = plant_model(robot, options.plant);
  const sdf::Model & model = load_model(options);
  const auto & inertial = model.LinkByName("link_2")->Inertial();
  EXPECT_NEAR(inertial.MassMatrix().Mass(), 1.2 * robot.physics().links[1].mass, 1e-15);
  for (const int i : {0, 1})
  {
    const sdf::JointAxis & axis = *model.JointByName(i == 0 ? "joint_1" : "joint_4")->Axis();
    EXPECT_NEAR(axis.Damping(), plant.constants().damping[i], 1e-12);
    EXPECT_GT(axis.Damping(), robot.constants().damping[i]);
    EXPECT_EQ(axis.Friction(), 0.01);
    // Not less than what the supply can do.
    EXPECT_NEAR(axis.Effort(), plant.constants().torque_gain[i] * 24.0, 1e-12);
  }
}

TEST_P(GazeboDescription, StandsInTheWorldThatNamesItsFile)
{
  const std::string path =
    testing::TempDir() + "fivebar_in_world_" + std::to_string(getpid()) + ".urdf";
  std::ofstream(path) << gazebo_urdf_of(robot);
  GazeboOptions options;
  options.model_file = path;
  const sdf::Errors errors = root.LoadSdfString(gazebo_world_of(robot, options));
  std::remove(path.c_str());
  ASSERT_TRUE(errors.empty()) << text_of(errors);
  const sdf::World & world = *root.WorldByIndex(0);
  ASSERT_EQ(world.ModelCount(), 1U);
  EXPECT_EQ(world.ModelByIndex(0)->Name(), "fivebar");
  EXPECT_EQ(world.ModelByIndex(0)->LinkCount(), 6U);
}

TEST_P(GazeboDescription, OffersVoltsAndAMotorBoardToOurPlugin)
{
  GazeboOptions options;
  options.controllers_file = "controllers.yaml";
  options.interface = GazeboInterface::volts;
  options.robot_file = "lab & co.yaml";
  const std::string urdf = gazebo_urdf_of(robot, options);
  for (const char * part :
       {"<plugin>fivebar_control/GazeboMotors</plugin>", "<command_interface name=\"voltage\"/>",
        "<param name=\"robot\">lab &amp; co.yaml</param>", "<gpio name=\"motor_board\">"})
  {
    EXPECT_NE(urdf.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(urdf.find("effort\"/>"), std::string::npos);
}

TEST_P(GazeboDescription, LoopIsClosedByTheDetachableJointSystem)
{
  GazeboOptions options;
  options.controllers_file = "controllers.yaml";
  const sdf::Model & model = load_model(options);
  sdf::ElementPtr plugin = model.Element()->GetElement("plugin");
  EXPECT_EQ(plugin->Get<std::string>("name"), "gz::sim::systems::DetachableJoint");
  EXPECT_EQ(plugin->Get<std::string>("parent_link"), "link_3");
  EXPECT_EQ(plugin->Get<std::string>("child_model"), "__model__");
  EXPECT_EQ(plugin->Get<std::string>("child_link"), "end_effector");
  // Nobody who detaches what is called "fivebar" opens the loop by accident.
  EXPECT_EQ(plugin->Get<std::string>("detach_topic"), "/fivebar/loop_stays_closed/detach_topic");
  plugin = plugin->GetNextElement("plugin");
  ASSERT_TRUE(plugin);
  EXPECT_EQ(plugin->Get<std::string>("parameters"), "controllers.yaml");
  EXPECT_FALSE(plugin->Get<bool>("hold_joints"));
}

INSTANTIATE_TEST_SUITE_P(
  Robots, GazeboDescription, testing::Values("robot.yaml", "robots/unequal.yaml"),
  [](const auto & robot_file) {
    return std::string(robot_file.param) == "robot.yaml" ? "Default" : "Unequal";
  });

}  // namespace fivebar_control
