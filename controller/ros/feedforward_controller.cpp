// SPDX-License-Identifier: Apache-2.0
#include "feedforward_controller.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <pluginlib/class_list_macros.hpp>

#include "fivebar_control/controller/guard_reach.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"
#include "live_parameters.hpp"
#include "plan_server.hpp"
#include "run_desk.hpp"
#include "state_publisher.hpp"
#include "trajectory_server.hpp"

// The life of the controller; feedforward_update.cpp has its cycle.

namespace fivebar_control
{
namespace
{

/// The robot with a lower voltage limit; 0: as it is.
RobotModel within(const RobotModel & robot, double voltage_limit)
{
  RobotParameters parameters = robot.parameters();
  if (voltage_limit > parameters.limits.voltage)
  {
    throw InputError::of(
      "voltage_limit", fmt::format(
                         "{} V is above the robot's limit of {} V, expected less", voltage_limit,
                         parameters.limits.voltage));
  }
  parameters.limits.voltage = voltage_limit > 0.0 ? voltage_limit : parameters.limits.voltage;
  return RobotModel(parameters);
}

}  // namespace

controller_interface::InterfaceConfiguration
FeedforwardController::command_interface_configuration() const
{
  return {
    controller_interface::interface_configuration_type::INDIVIDUAL,
    {parameters_.command_prefix + parameters_.joints[0] + "/voltage",
     parameters_.command_prefix + parameters_.joints[1] + "/voltage"}};
}

controller_interface::InterfaceConfiguration FeedforwardController::state_interface_configuration()
  const
{
  std::vector<std::string> names{
    parameters_.joints[0] + "/position", parameters_.joints[1] + "/position",
    parameters_.joints[0] + "/velocity", parameters_.joints[1] + "/velocity"};
  const auto add = [&](const char * interface) {
    names.push_back(parameters_.motor_board + "/" + interface);
  };
  if (!parameters_.motor_board.empty())
  {
    add("sample_time");
    add("status");
    add("simulated");
    if (parameters_.motor_board_arms)
    {
      add("armed");
      add("arm_count");
    }
  }
  return {controller_interface::interface_configuration_type::INDIVIDUAL, names};
}

FeedforwardController::CallbackReturn FeedforwardController::on_init()
{
  try
  {
    // Declared and validated here, read while configuring.
    parameter_listener_ = std::make_shared<feedforward_controller::ParamListener>(get_node());
    parameters_ = parameter_listener_->get_params();
  }
  catch (const std::exception & error)
  {
    RCLCPP_ERROR(rclcpp::get_logger("feedforward_controller"), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  register_watched();
  return CallbackReturn::SUCCESS;
}

void FeedforwardController::register_watched()
{
#if __has_include(<hardware_interface/introspection.hpp>)
  REGISTER_ROS2_CONTROL_INTROSPECTION("state", &watched_.state);
  REGISTER_ROS2_CONTROL_INTROSPECTION("fault", &watched_.fault);
  REGISTER_ROS2_CONTROL_INTROSPECTION("plan_time", &watched_.plan_time);
  REGISTER_ROS2_CONTROL_INTROSPECTION("late_cycles", &watched_.late_cycles);
  for (int i = 0; i < 2; ++i)
  {
    const std::string joint = parameters_.joints[static_cast<std::size_t>(i)] + ".";
    REGISTER_ROS2_CONTROL_INTROSPECTION(joint + "error", &watched_.error[i]);
    REGISTER_ROS2_CONTROL_INTROSPECTION(joint + "feedforward", &watched_.feedforward[i]);
    REGISTER_ROS2_CONTROL_INTROSPECTION(joint + "feedback", &watched_.feedback[i]);
    REGISTER_ROS2_CONTROL_INTROSPECTION(joint + "applied", &watched_.applied[i]);
  }
#endif
}

FeedforwardController::CallbackReturn FeedforwardController::on_configure(
  const rclcpp_lifecycle::State &)
{
  parameters_ = parameter_listener_->get_params();
  const unsigned int rate = get_update_rate();
  if (rate == 0)
  {
    RCLCPP_ERROR(get_node()->get_logger(), "update_rate: expected a rate above 0 Hz");
    return CallbackReturn::FAILURE;
  }
  period_ns_ = 1'000'000'000 / rate;
  const auto every = [rate](double wanted) {
    return std::max<std::int64_t>(1, std::llround(rate / wanted));
  };
  for (const std::string & name : parameters_.guard.switched_off)
  {
    RCLCPP_WARN(
      get_node()->get_logger(), "the guard does not watch for %s: guard.switched_off says so",
      name.c_str());
  }
  simulated_time_ = get_node()->get_parameter("use_sim_time").as_bool();
  publish_every_ = parameters_.state_publish_rate > 0.0 ? every(parameters_.state_publish_rate) : 0;
  tell_every_ = every(parameters_.monitor_rate);
  try
  {
    make_servers(rate);
  }
  catch (const std::exception & error)
  {
    // Unconfigured as before: with other parameters it can be tried again.
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    on_cleanup(rclcpp_lifecycle::State());
    return CallbackReturn::FAILURE;
  }
  return CallbackReturn::SUCCESS;
}

void FeedforwardController::make_servers(unsigned int rate)
{
  robot_ = load_robot(given_or_config(parameters_.robot, "robot.yaml"));
  driven_robot_ = within(*robot_, parameters_.voltage_limit);
  scorer_.emplace(*robot_);
  zero_angle_.setZero();
  if (parameters_.zero_is_home)
  {
    zero_angle_ = robot_->parameters().home;
  }
  handover_ = std::make_shared<Handover>();
  live_ = std::make_shared<LiveParameters>(get_node(), parameter_listener_, handover_);
  const std::string hardware =
    parameters_.motor_board.empty() ? "" : " (" + parameters_.motor_board + ")";
  desk_ = std::make_shared<RunDesk>(
    get_node(), handover_, *robot_,
    RunSetting{
      live_->settings(), "ros2_control" + hardware, static_cast<double>(rate),
      parameters_.log_directory});
  plan_server_ = std::make_shared<PlanServer>(desk_);
  if (!parameters_.plan.empty())
  {
    plan_server_->load(parameters_.plan);
  }
  const JointNames joints{parameters_.joints, zero_angle_};
  trajectory_server_ = std::make_shared<TrajectoryServer>(desk_, joints);
  // Looked for as often as there is something, but not more often than a millisecond.
  const std::int64_t look_ns =
    std::clamp<std::int64_t>(publish_every_ * period_ns_, 1'000'000, 20'000'000);
  publisher_ = std::make_shared<StatePublisher>(
    get_node(), handover_, *robot_, joints, std::chrono::nanoseconds(look_ns));
  const std::weak_ptr<RunDesk> weak = desk_;
  live_->start([weak](const ControllerSettings & settings) {
    if (const auto desk = weak.lock())
    {
      desk->set_controller(settings);
    }
  });
  desk_->start();
  plan_server_->start();
  trajectory_server_->start();
  start_monitor();
}

void FeedforwardController::start_monitor()
{
  const std::weak_ptr<RunDesk> weak_desk = desk_;
  const std::weak_ptr<LiveParameters> weak_live = live_;
  monitor_ = get_node()->create_wall_timer(
    std::chrono::duration<double>(1.0 / parameters_.monitor_rate), [weak_desk, weak_live]() {
      const auto desk = weak_desk.lock();
      const auto live = weak_live.lock();
      if (desk && live)
      {
        live->refresh();
        desk->monitor();
      }
    });
}

FeedforwardController::CallbackReturn FeedforwardController::on_activate(
  const rclcpp_lifecycle::State &)
{
  // A request that came too late for the last activation must not start anything in this one.
  RunRequest stale;
  while (handover_->requests.pop(stale))
  {
  }
  ControllerSettings old_settings;
  while (handover_->settings.pop(old_settings))
  {
  }
  const ControllerSettings settings = live_->settings();
  try
  {
    require_guard_can_act(settings.guard, *robot_, get_node()->get_name());
  }
  catch (const InputError & error)
  {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    return CallbackReturn::FAILURE;
  }
  desk_->set_controller(settings);
  core_.emplace(*driven_robot_, settings, ControlMode::feedforward_and_feedback, period_ns_);
  write_good_ = true;
  running_ = false;
  next_.reset();
  cycle_ = 0;
  board_is_simulated_.reset();
  armed_ = true;
  arm_count_ = 0;
  last_ = {};
  if (state_interfaces_.size() != state_interface_configuration().names.size())
  {
    RCLCPP_ERROR(get_node()->get_logger(), "not all state interfaces are there");
    return CallbackReturn::ERROR;
  }
  if (!apply(Eigen::Vector2d::Zero()))
  {
    RCLCPP_ERROR(get_node()->get_logger(), "the voltage interfaces cannot be written");
    return CallbackReturn::ERROR;
  }
  handover_->active = true;
  return CallbackReturn::SUCCESS;
}

FeedforwardController::CallbackReturn FeedforwardController::on_deactivate(
  const rclcpp_lifecycle::State &)
{
  const bool good = apply(Eigen::Vector2d::Zero());
  // What was going on is over: the last message says so, with zero volts.
  last_.volts.setZero();
  last_.feedback.setZero();
  last_.reference.feedforward.setZero();
  last_.state = last_.state == ControlState::fault ? ControlState::fault : ControlState::idle;
  stamp_ns_ = std::max(stamp_ns_, get_node()->now().nanoseconds());
  if (running_)
  {
    end_run(RunEnd::deactivated, {}, last_);
  }
  handover_->driving = false;
  handover_->active = false;
  show(last_);
  return good ? CallbackReturn::SUCCESS : CallbackReturn::ERROR;
}

FeedforwardController::CallbackReturn FeedforwardController::on_cleanup(
  const rclcpp_lifecycle::State &)
{
  monitor_.reset();
  trajectory_server_.reset();
  plan_server_.reset();
  desk_.reset();
  live_.reset();
  publisher_.reset();
  return CallbackReturn::SUCCESS;
}

FeedforwardController::CallbackReturn FeedforwardController::on_error(
  const rclcpp_lifecycle::State & before)
{
  apply(Eigen::Vector2d::Zero());
  if (handover_)
  {
    handover_->driving = false;
    handover_->active = false;
  }
  return on_cleanup(before);
}

}  // namespace fivebar_control

PLUGINLIB_EXPORT_CLASS(
  fivebar_control::FeedforwardController, controller_interface::ControllerInterface)
