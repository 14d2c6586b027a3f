// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <fivebar_control/action/execute_plan.hpp>
#include <fivebar_control/srv/load_plan.hpp>
#include <future>
#include <optional>
#include <rclcpp_action/rclcpp_action.hpp>
#include <thread>

#include "feedforward_controller.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "system_fixture.hpp"

namespace fivebar_control::test
{

/// Curve B, planned once per process.
inline const Plan & plan_b()
{
  static const Plan plan =
    make_plan(
      load_robot(config_path("robot.yaml")), load_plan_request(config_path("curves/b.yaml")))
      .plan;
  return plan;
}

/// A robot that is not config/robot.yaml: its links are heavier.
inline RobotModel heavier_robot()
{
  RobotParameters parameters = load_robot(config_path("robot.yaml")).parameters();
  parameters.physics.links[1].mass *= 1.1;
  return RobotModel(parameters);
}

/// Controller and simulated hardware in one process, wired as the controller manager would and
/// cycled by hand, so that nothing depends on the machine's speed.
class Cell
{
public:
  using ExecutePlan = fivebar_control::action::ExecutePlan;
  using LoadPlan = fivebar_control::srv::LoadPlan;
  using Client = rclcpp_action::Client<ExecutePlan>;
  using GoalHandle = rclcpp_action::ClientGoalHandle<ExecutePlan>;
  using Return = controller_interface::return_type;

  explicit Cell(
    const std::vector<rclcpp::Parameter> & parameters = {},
    const hardware_interface::HardwareInfo & info = hardware_info())
  : hardware_(info), period_ns_(1'000'000'000 / info.rw_rate)
  {
    client_node_ = std::make_shared<rclcpp::Node>("client");
    init_ = controller_.init(controller_parameters(parameters, info.rw_rate));
    if (init_ == Return::OK)
    {
      executor_.add_node(controller_.get_node()->get_node_base_interface());
    }
    executor_.add_node(client_node_);
    client_ = rclcpp_action::create_client<ExecutePlan>(
      client_node_, "/feedforward_controller/execute_plan");
    loader_ = client_node_->create_client<LoadPlan>("/feedforward_controller/load_plan");
  }
  ~Cell()
  {
    if (init_ == Return::OK)
    {
      controller_.release_interfaces();
    }
  }

  Return init_result() const { return init_; }
  SystemUnderTest & hardware() { return hardware_; }
  FeedforwardController & controller() { return controller_; }
  rclcpp::Executor & executor() { return executor_; }

  std::uint8_t configure() { return controller_.configure().id(); }

  /// Hardware active, controller configured and active.
  void start()
  {
    hardware_.configure_and_activate();
    ASSERT_EQ(configure(), lifecycle_msgs::msg::State::PRIMARY_STATE_INACTIVE);
    assign();
    ASSERT_EQ(
      controller_.get_node()->activate().id(), lifecycle_msgs::msg::State::PRIMARY_STATE_ACTIVE);
    active_ = true;
    ASSERT_TRUE(wait([this]() { return client_->action_server_is_ready(); }));
    ASSERT_TRUE(wait([this]() { return loader_->service_is_ready(); }));
  }

  void assign()
  {
    std::vector<hardware_interface::LoanedCommandInterface> commands;
    for (const auto & name : controller_.command_interface_configuration().names)
    {
      commands.emplace_back(hardware_.command(name), nullptr);
    }
    std::vector<hardware_interface::LoanedStateInterface> states;
    for (const auto & name : controller_.state_interface_configuration().names)
    {
      states.emplace_back(hardware_.state(name), nullptr);
    }
    controller_.assign_interfaces(std::move(commands), std::move(states));
  }

  void start_again()
  {
    ASSERT_EQ(
      controller_.get_node()->activate().id(), lifecycle_msgs::msg::State::PRIMARY_STATE_ACTIVE);
    active_ = true;
  }

  void deactivate()
  {
    active_ = false;
    controller_.get_node()->deactivate();
    hardware_.write();
  }

  /// One cycle of the manager: read, update, write; ERROR deactivates.
  void cycle()
  {
    const rclcpp::Time time(cycle_ * period_ns_, RCL_STEADY_TIME);
    ++cycle_;
    hardware_.read();
    if (active_)
    {
      last_return_ =
        controller_.update(time, rclcpp::Duration(std::chrono::nanoseconds(period_ns_)));
      if (last_return_ == Return::ERROR)
      {
        deactivate();
        return;
      }
    }
    hardware_.write();
  }
  Return last_return() const { return last_return_; }

  /// Cycles and lets callbacks run until `done`; false after twenty seconds.
  template <class Done>
  bool wait(Done && done)
  {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!done())
    {
      if (std::chrono::steady_clock::now() > end)
      {
        return false;
      }
      if (active_)
      {
        for (int i = 0; i < 20; ++i)
        {
          cycle();
        }
      }
      executor_.spin_some();
    }
    return true;
  }

  LoadPlan::Response load(const std::string & path, const std::string & content = "")
  {
    const auto request = std::make_shared<LoadPlan::Request>();
    request->path = path;
    request->content = content;
    auto future = loader_->async_send_request(request).future.share();
    EXPECT_TRUE(wait([&]() { return ready(future); }));
    return *future.get();
  }

  /// Sends a goal and waits until it is accepted; meanwhile the robot's time stands still, which
  /// runs faster here than the middleware.
  GoalHandle::SharedPtr send(
    bool align = false, std::uint8_t mode = ExecutePlan::Goal::FEEDFORWARD_AND_FEEDBACK,
    const std::string & log = "")
  {
    ExecutePlan::Goal goal;
    goal.align = align;
    goal.mode = mode;
    goal.log = log;
    Client::SendGoalOptions options;
    options.feedback_callback = [this](auto, const auto feedback) {
      feedback_.push_back(*feedback);
    };
    auto future = client_->async_send_goal(goal, options);
    EXPECT_EQ(
      executor_.spin_until_future_complete(future, std::chrono::seconds(20)),
      rclcpp::FutureReturnCode::SUCCESS);
    return future.get();
  }

  GoalHandle::WrappedResult result(const GoalHandle::SharedPtr & goal)
  {
    auto future = client_->async_get_result(goal);
    EXPECT_TRUE(wait([&]() { return ready(future); }));
    return future.get();
  }

  void cancel(const GoalHandle::SharedPtr & goal)
  {
    auto future = client_->async_cancel_goal(goal);
    EXPECT_TRUE(wait([&]() { return ready(future); }));
  }

  bool zero_volts() { return hardware_.injection().last_volts.isZero(0.0); }
  const std::vector<ExecutePlan::Feedback> & feedback() const { return feedback_; }

  static controller_interface::ControllerInterfaceParams controller_parameters(
    std::vector<rclcpp::Parameter> parameters, unsigned int rate = 1000)
  {
    parameters.emplace_back("monitor_rate", 500.0);
    const bool robot_given = std::any_of(
      parameters.begin(), parameters.end(), [](const auto & p) { return p.get_name() == "robot"; });
    if (!robot_given)
    {
      parameters.emplace_back("robot", config_path("robot.yaml"));
    }
    controller_interface::ControllerInterfaceParams init;
    init.controller_name = "feedforward_controller";
    init.update_rate = rate;
    init.controller_manager_update_rate = rate;
    init.node_options = rclcpp::NodeOptions().parameter_overrides(parameters);
    return init;
  }

private:
  template <class Future>
  static bool ready(const Future & future)
  {
    return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

  SystemUnderTest hardware_;
  std::int64_t period_ns_;
  FeedforwardController controller_;
  Return init_;
  Return last_return_ = Return::OK;
  bool active_ = false;
  std::int64_t cycle_ = 1;
  rclcpp::Node::SharedPtr client_node_;
  rclcpp::executors::SingleThreadedExecutor executor_;
  Client::SharedPtr client_;
  rclcpp::Client<LoadPlan>::SharedPtr loader_;
  std::vector<ExecutePlan::Feedback> feedback_;
};

class CellTest : public testing::Test
{
protected:
  static void SetUpTestSuite() { rclcpp::init(0, nullptr); }
  static void TearDownTestSuite() { rclcpp::shutdown(); }
};

}  // namespace fivebar_control::test
