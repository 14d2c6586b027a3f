// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <controller_manager/controller_manager.hpp>
#include <filesystem>
#include <fivebar_control/action/execute_plan.hpp>
#include <fstream>
#include <future>
#include <rclcpp_action/rclcpp_action.hpp>

#include "effort_robot.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/simulation/gazebo_description.hpp"
#include "fivebar_control/support/text_file.hpp"

// The Gazebo route without Gazebo: the description that Gazebo gets (only the name of the hardware
// plugin is another), the controllers file that Gazebo gets, the real controller manager, cycled
// with simulated time as gz_ros2_control does it. In place of Gazebo stands EffortRobot.
namespace fivebar_control::test
{
namespace
{

using ExecutePlan = fivebar_control::action::ExecutePlan;
using Return = controller_interface::return_type;

void replace(std::string & text, const std::string & from, const std::string & to)
{
  ASSERT_NE(text.find(from), std::string::npos) << from;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
  {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

class GazeboChain : public testing::Test
{
protected:
  void SetUp() override
  {
    rclcpp::init(0, nullptr);
    folder_ =
      std::filesystem::temp_directory_path() / ("fivebar_chain_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override
  {
    manager_.reset();
    executor_.reset();
    rclcpp::shutdown();
    std::filesystem::remove_all(folder_);
  }

  /// As launch/gazebo.launch.py fills in the file.
  std::string controllers_file(const std::string & plan) const
  {
    const std::string source = FIVEBAR_SOURCE_DIR "/config/";
    std::string text = read_text_file(source + "gazebo_controllers.yaml", 100'000);
    replace(text, "$(var robot)", source + "robot.yaml");
    replace(text, "$(var plan)", plan);
    const std::string path = folder_ / "controllers.yaml";
    std::ofstream(path) << text;
    return path;
  }

  void start_manager(const std::string & controllers)
  {
    const RobotModel robot = load_robot(FIVEBAR_SOURCE_DIR "/config/robot.yaml");
    std::string urdf = gazebo_urdf_of(robot, {1e-3, controllers});
    replace(urdf, "gz_ros2_control/GazeboSimSystem", "fivebar_control_test/EffortRobot");
    executor_ = std::make_shared<rclcpp::executors::SingleThreadedExecutor>();
    auto options = controller_manager::get_cm_node_options();
    options.arguments({"--ros-args", "--params-file", controllers, "-p", "use_sim_time:=true"});
    manager_ = std::make_shared<controller_manager::ControllerManager>(
      executor_, urdf, true, "controller_manager", "", options);
    executor_->add_node(manager_);
  }

  void cycle()
  {
    const rclcpp::Duration period(0, 1'000'000);
    time_ = time_ + period;
    manager_->read(time_, period);
    manager_->update(time_, period);
    manager_->write(time_, period);
  }

  template <class Done>
  bool cycle_until(Done && done)
  {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!done() && std::chrono::steady_clock::now() < end)
    {
      cycle();
      executor_->spin_some();
    }
    return done();
  }

  template <class Future>
  bool cycle_until_ready(Future & future)
  {
    return cycle_until(
      [&] { return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
  }

  /// In a thread of its own, because each step waits for a cycle in which it takes effect.
  Return activate(const std::string & name)
  {
    auto switched = std::async(std::launch::async, [this, name] {
      if (
        manager_->load_controller(name) == nullptr ||
        manager_->configure_controller(name) != Return::OK)
      {
        return Return::ERROR;
      }
      return manager_->switch_controller(
        {name}, {}, controller_manager_msgs::srv::SwitchController::Request::STRICT);
    });
    EXPECT_TRUE(cycle_until_ready(switched)) << name;
    return switched.get();
  }

  std::filesystem::path folder_;
  std::shared_ptr<rclcpp::Executor> executor_;
  std::shared_ptr<controller_manager::ControllerManager> manager_;
  rclcpp::Time time_{1, 0, RCL_ROS_TIME};
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

  const auto node = std::make_shared<rclcpp::Node>("client");
  executor_->add_node(node);
  const auto client =
    rclcpp_action::create_client<ExecutePlan>(node, "/feedforward_controller/execute_plan");
  ASSERT_TRUE(cycle_until([&] { return client->action_server_is_ready(); }));
  auto accepted = client->async_send_goal(ExecutePlan::Goal());
  ASSERT_TRUE(cycle_until_ready(accepted));
  ASSERT_NE(accepted.get(), nullptr);
  auto finished = client->async_get_result(accepted.get());
  ASSERT_TRUE(cycle_until_ready(finished));
  const auto outcome = finished.get();
  EXPECT_EQ(outcome.code, rclcpp_action::ResultCode::SUCCEEDED) << outcome.result->message;
  std::printf("curve B through efforts: ISE %.3e m^2 s\n", outcome.result->ise);
  // With encoders of 4096 counts `fivebar run --fast` has 6.24e-8; this robot measures exactly.
  EXPECT_LT(outcome.result->ise, 6.3e-8);
  EXPECT_GT(outcome.result->ise, 1e-9);
}

}  // namespace
}  // namespace fivebar_control::test
