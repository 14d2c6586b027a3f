// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <controller_manager/controller_manager.hpp>
#include <cstdio>
#include <filesystem>
#include <future>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_action/rclcpp_action.hpp>
#include <string>
#include <vector>

namespace fivebar_control::test
{

inline void replace(std::string & text, const std::string & from, const std::string & to)
{
  ASSERT_NE(text.find(from), std::string::npos) << from;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at))
  {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

/// The real controller manager in this process, cycled by hand with simulated time: the result does
/// not depend on how busy the machine is.
class ManagedRobot : public testing::Test
{
protected:
  using Return = controller_interface::return_type;

  void SetUp() override
  {
    rclcpp::init(0, nullptr);
    folder_ =
      std::filesystem::temp_directory_path() / ("fivebar_manager_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override
  {
    manager_.reset();
    node_.reset();
    executor_.reset();
    rclcpp::shutdown();
    std::filesystem::remove_all(folder_);
  }

  void start_manager(const std::string & urdf, const std::string & controllers)
  {
    executor_ = std::make_shared<rclcpp::executors::SingleThreadedExecutor>();
    auto options = controller_manager::get_cm_node_options();
    options.arguments({"--ros-args", "--params-file", controllers, "-p", "use_sim_time:=true"});
    manager_ = std::make_shared<controller_manager::ControllerManager>(
      executor_, urdf, true, "controller_manager", "", options);
    executor_->add_node(manager_);
    node_ = std::make_shared<rclcpp::Node>("client");
    executor_->add_node(node_);
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
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(200);
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

  /// In a thread of its own, because it waits for a cycle in which it takes effect.
  Return switch_to(
    const std::vector<std::string> & started, const std::vector<std::string> & stopped)
  {
    auto switched = std::async(std::launch::async, [this, started, stopped] {
      return manager_->switch_controller(
        started, stopped, controller_manager_msgs::srv::SwitchController::Request::STRICT);
    });
    EXPECT_TRUE(cycle_until_ready(switched));
    return switched.get();
  }

  void load(const std::string & name)
  {
    auto loaded = std::async(std::launch::async, [this, name] {
      return manager_->load_controller(name) == nullptr ? Return::ERROR
                                                        : manager_->configure_controller(name);
    });
    EXPECT_TRUE(cycle_until_ready(loaded)) << name;
    EXPECT_EQ(loaded.get(), Return::OK) << name;
  }

  Return activate(const std::string & name)
  {
    load(name);
    return switch_to({name}, {});
  }

  /// Sends a goal and cycles until its result is there.
  template <class Action>
  typename rclcpp_action::ClientGoalHandle<Action>::WrappedResult play(
    const std::string & name, const typename Action::Goal & goal)
  {
    const auto client = rclcpp_action::create_client<Action>(node_, name);
    EXPECT_TRUE(cycle_until([&] { return client->action_server_is_ready(); })) << name;
    auto accepted = client->async_send_goal(goal);
    EXPECT_TRUE(cycle_until_ready(accepted));
    const auto handle = accepted.get();
    if (handle == nullptr)
    {
      ADD_FAILURE() << name << " was not accepted";
      return {};
    }
    auto finished = client->async_get_result(handle);
    EXPECT_TRUE(cycle_until_ready(finished));
    return finished.get();
  }

  std::filesystem::path folder_;
  std::shared_ptr<rclcpp::Executor> executor_;
  std::shared_ptr<controller_manager::ControllerManager> manager_;
  std::shared_ptr<rclcpp::Node> node_;
  rclcpp::Time time_{1, 0, RCL_ROS_TIME};
};

}  // namespace fivebar_control::test
