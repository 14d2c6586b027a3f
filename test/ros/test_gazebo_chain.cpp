// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <fivebar_control/action/execute_plan.hpp>
#include <fstream>

#include "effort_robot.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/simulation/gazebo_description.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "manager_fixture.hpp"

// The Gazebo route without Gazebo: the description that Gazebo gets (only the name of the hardware
// plugin is another), the controllers file that Gazebo gets, the real controller manager, cycled
// with simulated time as gz_ros2_control does it. In place of Gazebo stands EffortRobot.
namespace fivebar_control::test
{
namespace
{

using ExecutePlan = fivebar_control::action::ExecutePlan;

class GazeboChain : public ManagedRobot
{
protected:
  /// As launch/gazebo.launch.py fills in the file.
  std::string controllers_file(const std::string & plan) const
  {
    const std::string source = FIVEBAR_SOURCE_DIR "/config/";
    std::string text = read_text_file(source + "gazebo_controllers.yaml", 100'000);
    replace(text, "$(var robot)", source + "robot.yaml");
    replace(text, "$(var plan)", plan);
    replace(text, "$(var command_prefix)", "voltage_to_effort/");
    replace(text, "$(var motor_board)", "");
    const std::string path = folder_ / "controllers.yaml";
    std::ofstream(path) << text;
    return path;
  }

  void start_manager(const std::string & controllers)
  {
    const RobotModel robot = load_robot(FIVEBAR_SOURCE_DIR "/config/robot.yaml");
    GazeboOptions options;
    options.controllers_file = controllers;
    std::string urdf = gazebo_urdf_of(robot, options);
    replace(urdf, "gz_ros2_control/GazeboSimSystem", "fivebar_control_test/EffortRobot");
    ManagedRobot::start_manager(urdf, controllers);
  }
};

TEST_F(GazeboChain, PlaysCurveBThroughEffortsWithTheShippedFiles)
{
  const RobotModel robot = load_robot(FIVEBAR_SOURCE_DIR "/config/robot.yaml");
  const std::string plan = folder_ / "b.csv";
  save_plan(
    make_plan(robot, load_plan_request(FIVEBAR_SOURCE_DIR "/config/curves/b.yaml")).plan, plan);
  start_manager(controllers_file(plan));
  for (const char * name :
       {"joint_state_broadcaster", "voltage_to_effort", "feedforward_controller"})
  {
    ASSERT_EQ(activate(name), Return::OK) << name;
  }

  const auto outcome =
    play<ExecutePlan>("/feedforward_controller/execute_plan", ExecutePlan::Goal());
  ASSERT_NE(outcome.result, nullptr);
  EXPECT_EQ(outcome.code, rclcpp_action::ResultCode::SUCCEEDED) << outcome.result->message;
  std::printf("curve B through efforts: ISE %.3e m^2 s\n", outcome.result->ise);
  // With encoders of 4096 counts `fivebar run --fast` has 6.24e-8; this robot measures exactly.
  EXPECT_LT(outcome.result->ise, 6.3e-8);
  EXPECT_GT(outcome.result->ise, 1e-9);
}

}  // namespace
}  // namespace fivebar_control::test
