// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "fivebar_control/model/robot_file.hpp"
#include "system_fixture.hpp"

namespace fivebar_control::test
{

using CallbackReturn = hardware_interface::CallbackReturn;
using Return = hardware_interface::return_type;

TEST(FiveBarSystem, ShowsTheHomePoseOfAllFourJoints)
{
  SystemUnderTest system;
  system.configure_and_activate();
  ASSERT_EQ(system.read(), Return::OK);
  // Home: consecutive links are perpendicular (design of the robot).
  const double count = 2.0 * std::numbers::pi / 4096.0;
  EXPECT_NEAR(system.value("joint_1/position"), 0.0, count);
  EXPECT_NEAR(system.value("joint_4/position"), std::numbers::pi / 2.0, count);
  EXPECT_NEAR(system.value("joint_2/position"), std::numbers::pi / 2.0, 2.0 * count);
  EXPECT_NEAR(system.value("joint_3/position"), std::numbers::pi / 2.0, 2.0 * count);
  EXPECT_EQ(system.value("joint_1/velocity"), 0.0);
  EXPECT_EQ(system.value("motor_board/simulated"), 1.0);
}

TEST(FiveBarSystem, MovesUnderVoltsAndItsPassiveJointsCloseTheLoop)
{
  SystemUnderTest system;
  system.configure_and_activate();
  const RobotModel robot = load_robot(config_path("robot.yaml"));
  for (int i = 0; i < 200; ++i)
  {
    ASSERT_EQ(system.read(), Return::OK);
    system.set("joint_1/voltage", 2.0);
    system.set("joint_4/voltage", -1.0);
    ASSERT_EQ(system.write(), Return::OK);
  }
  const double phi1 = system.value("joint_1/position");
  const double phi4 = system.value("joint_4/position");
  EXPECT_GT(phi1, 0.05);
  EXPECT_GT(system.value("joint_1/velocity"), 0.5);
  EXPECT_LT(system.value("joint_4/velocity"), -0.2);
  const auto pose = robot.kinematics().forward({phi1, phi4});
  ASSERT_TRUE(pose);
  const double phi2 = phi1 + system.value("joint_2/position");
  const double phi3 = phi4 + system.value("joint_3/position");
  EXPECT_NEAR(std::sin(phi2 - pose->phi2), 0.0, 1e-12);
  EXPECT_NEAR(std::sin(phi3 - pose->phi3), 0.0, 1e-12);
  EXPECT_NEAR(system.value("motor_board/sample_time"), 0.199, 1e-9);
}

TEST(FiveBarSystem, ClampsVoltsToTheRobotsLimit)
{
  SystemUnderTest system;
  system.configure_and_activate();
  system.read();
  system.set("joint_1/voltage", 1000.0);
  system.set("joint_4/voltage", -1000.0);
  ASSERT_EQ(system.write(), Return::OK);
  EXPECT_EQ(system.injection().last_volts[0], 10.0);  // limits.voltage of config/robot.yaml
  EXPECT_EQ(system.injection().last_volts[1], -10.0);
}

TEST(FiveBarSystem, IgnoresCommandsWhileInactive)
{
  SystemUnderTest system;
  ASSERT_EQ(system->on_configure(any_state()), CallbackReturn::SUCCESS);
  system.set("joint_1/voltage", 5.0);
  EXPECT_EQ(system.read(), Return::OK);
  EXPECT_EQ(system.write(), Return::OK);
  EXPECT_EQ(system.injection().driven_cycles, 0);
  ASSERT_EQ(system->on_activate(any_state()), CallbackReturn::SUCCESS);
  system.read();
  system.write();
  EXPECT_EQ(system.injection().driven_cycles, 0) << "a command of before the activation";
}

TEST(FiveBarSystem, DeactivationMeansZeroVolts)
{
  SystemUnderTest system;
  system.configure_and_activate();
  system.read();
  system.set("joint_1/voltage", 5.0);
  system.write();
  ASSERT_EQ(system.injection().last_volts[0], 5.0);
  ASSERT_EQ(system->on_deactivate(any_state()), CallbackReturn::SUCCESS);
  EXPECT_EQ(system.injection().last_volts[0], 0.0);
  EXPECT_FALSE(system.injection().armed);
}

TEST(FiveBarSystem, ShowsWhetherItIsArmedAndEveryArmingAnew)
{
  SystemUnderTest system;
  ASSERT_EQ(system->on_configure(any_state()), CallbackReturn::SUCCESS);
  ASSERT_EQ(system.read(), Return::OK);
  EXPECT_EQ(system.value("motor_board/armed"), 0.0);
  ASSERT_EQ(system->on_activate(any_state()), CallbackReturn::SUCCESS);
  ASSERT_EQ(system.read(), Return::OK);
  EXPECT_EQ(system.value("motor_board/armed"), 1.0);
  const double first = system.value("motor_board/arm_count");
  system->on_deactivate(any_state());
  EXPECT_EQ(system.value("motor_board/armed"), 0.0);
  // Nobody looked in between.
  ASSERT_EQ(system->on_activate(any_state()), CallbackReturn::SUCCESS);
  EXPECT_EQ(system.value("motor_board/arm_count"), first + 1.0);
}

TEST(FiveBarSystem, GivesZeroVoltsToMotorsThatNoControllerCommandsAnyMore)
{
  SystemUnderTest system;
  system.configure_and_activate();
  system.read();
  system.set("joint_1/voltage", 5.0);
  system.set("joint_4/voltage", 3.0);
  system->perform_command_mode_switch({}, {"joint_1/voltage"});
  system.write();
  EXPECT_EQ(system.injection().last_volts[0], 0.0);
  EXPECT_EQ(system.injection().last_volts[1], 3.0);
}

TEST(FiveBarSystem, SendsZeroVoltsInsteadOfNoNumber)
{
  SystemUnderTest system;
  system.configure_and_activate();
  system.read();
  system.set("joint_1/voltage", std::numeric_limits<double>::quiet_NaN());
  system.set("joint_4/voltage", 3.0);
  Return result = system.write();
  EXPECT_EQ(result, Return::OK);
  EXPECT_EQ(system.injection().last_volts[0], 0.0);
  EXPECT_EQ(system.injection().last_volts[1], 0.0);
  for (int i = 0; i < 5; ++i)
  {
    result = system.write();
  }
  EXPECT_EQ(result, Return::ERROR) << "more than tolerated_errors in a row";
}

TEST(FiveBarSystem, ToleratesSomeErrorsThenStopsAndReportsError)
{
  for (const char * fault : {"read", "write"})
  {
    auto info = hardware_info();
    info.hardware_parameters["tolerated_errors"] = "2";
    SystemUnderTest system(info);
    system.configure_and_activate();
    system.read();
    system.set("joint_1/voltage", 1.0);
    system.injection().fault = fault;
    const auto cycle = [&]() {
      return std::string(fault) == "read" ? system.read() : system.write();
    };
    EXPECT_EQ(cycle(), Return::OK) << fault;
    EXPECT_EQ(cycle(), Return::OK) << fault;
    EXPECT_EQ(cycle(), Return::ERROR) << fault;
    EXPECT_EQ(system.injection().last_volts[0], 0.0) << fault;
    EXPECT_FALSE(system.injection().armed) << fault;
    EXPECT_EQ(system->on_error(any_state()), CallbackReturn::SUCCESS);
    system.injection().fault = "";
    system.configure_and_activate();
    EXPECT_EQ(system.read(), Return::OK) << "after " << fault << " it can be configured anew";
  }
}

TEST(FiveBarSystem, SaysWhenTheHardwareDoesNotOpenOrArm)
{
  SystemUnderTest absent;
  absent.injection().fault = "open";
  EXPECT_EQ(absent->on_configure(any_state()), CallbackReturn::FAILURE);
  SystemUnderTest busy;
  ASSERT_EQ(busy->on_configure(any_state()), CallbackReturn::SUCCESS);
  busy.injection().fault = "arm";
  EXPECT_EQ(busy->on_activate(any_state()), CallbackReturn::FAILURE);
}

TEST(FiveBarSystem, RefusesBadDescriptions)
{
  const auto refused = [](auto && spoil) {
    auto info = hardware_info();
    spoil(info);
    return SystemUnderTest(info).init_result() == CallbackReturn::ERROR;
  };
  EXPECT_TRUE(refused([](auto & i) { i.hardware_parameters["backend"] = "steam"; }));
  EXPECT_TRUE(refused([](auto & i) { i.hardware_parameters["robot"] = "/nowhere/robot.yaml"; }));
  EXPECT_TRUE(refused([](auto & i) { i.hardware_parameters["tolerated_errors"] = "many"; }));
  EXPECT_TRUE(refused([](auto & i) { i.hardware_parameters["tolerated_errors"] = "-1"; }));
  EXPECT_TRUE(refused([](auto & i) { i.joints.pop_back(); }));
  EXPECT_TRUE(refused([](auto & i) { i.joints[0].command_interfaces[0].name = "effort"; }));
  EXPECT_TRUE(refused([](auto & i) { i.joints[1].state_interfaces.pop_back(); }));
  EXPECT_TRUE(
    refused([](auto & i) { i.joints[2].command_interfaces = i.joints[0].command_interfaces; }));
  EXPECT_FALSE(refused([](auto &) {}));
}

}  // namespace fivebar_control::test
