// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

#include "failing_robot.hpp"

namespace fivebar_control::test
{

inline std::string config_path(const std::string & relative)
{
  return std::string(FIVEBAR_SOURCE_DIR) + "/config/" + relative;
}

/// The <ros2_control> tag of description/, as the framework would parse it.
inline hardware_interface::HardwareInfo hardware_info()
{
  using hardware_interface::ComponentInfo;
  using hardware_interface::InterfaceInfo;
  const auto interface = [](const std::string & name) {
    InterfaceInfo info;
    info.name = name;
    info.data_type = "double";
    return info;
  };
  hardware_interface::HardwareInfo info;
  info.name = "fivebar";
  info.type = "system";
  info.is_async = false;
  info.rw_rate = 1000;
  for (const std::string name : {"joint_1", "joint_4", "joint_2", "joint_3"})
  {
    ComponentInfo joint;
    joint.name = name;
    joint.type = "joint";
    if (info.joints.size() < 2)
    {
      joint.command_interfaces = {interface("voltage"), interface("effort")};
    }
    joint.state_interfaces = {interface("position"), interface("velocity")};
    info.joints.push_back(joint);
  }
  ComponentInfo board;
  board.name = "motor_board";
  board.type = "gpio";
  for (const char * name : {"sample_time", "status", "simulated", "armed", "arm_count", "guard"})
  {
    board.state_interfaces.push_back(interface(name));
  }
  info.gpios.push_back(board);
  info.hardware_parameters["robot"] = config_path("robot.yaml");
  info.hardware_parameters["plant"] = config_path("plants/mismatched.yaml");
  return info;
}

inline rclcpp_lifecycle::State any_state() { return rclcpp_lifecycle::State(); }

/// A FiveBarSystem with its interfaces, driven by hand.
class SystemUnderTest
{
public:
  using CallbackReturn = hardware_interface::CallbackReturn;

  explicit SystemUnderTest(
    const hardware_interface::HardwareInfo & info = hardware_info(),
    std::shared_ptr<Injection> injection = std::make_shared<Injection>())
  : injection_(std::move(injection)), system_(injection_)
  {
    hardware_interface::HardwareComponentParams parameters;
    parameters.hardware_info = info;
    parameters.clock = std::make_shared<rclcpp::Clock>(RCL_STEADY_TIME);
    init_result_ = system_.init(parameters);
    if (init_result_ == CallbackReturn::SUCCESS)
    {
      states_ = system_.on_export_state_interfaces();
      commands_ = system_.on_export_command_interfaces();
    }
  }

  CallbackReturn init_result() const { return init_result_; }
  FiveBarSystem & operator*() { return system_; }
  FiveBarSystem * operator->() { return &system_; }
  Injection & injection() { return *injection_; }

  void configure_and_activate()
  {
    ASSERT_EQ(init_result_, CallbackReturn::SUCCESS);
    ASSERT_EQ(system_.on_configure(any_state()), CallbackReturn::SUCCESS);
    ASSERT_EQ(system_.on_activate(any_state()), CallbackReturn::SUCCESS);
  }
  hardware_interface::return_type read() { return system_.read(time_, period_); }
  hardware_interface::return_type write() { return system_.write(time_, period_); }

  hardware_interface::StateInterface::ConstSharedPtr state(const std::string & name) const
  {
    for (const auto & state : states_)
    {
      if (state->get_name() == name)
      {
        return state;
      }
    }
    throw std::out_of_range("no state interface " + name);
  }
  hardware_interface::CommandInterface::SharedPtr command(const std::string & name) const
  {
    for (const auto & command : commands_)
    {
      if (command->get_name() == name)
      {
        return command;
      }
    }
    throw std::out_of_range("no command interface " + name);
  }
  double value(const std::string & name) const { return state(name)->get_optional().value(); }
  void set(const std::string & name, double volts) { ASSERT_TRUE(command(name)->set_value(volts)); }

private:
  std::shared_ptr<Injection> injection_;
  FailingSystem system_;
  CallbackReturn init_result_;
  std::vector<hardware_interface::StateInterface::ConstSharedPtr> states_;
  std::vector<hardware_interface::CommandInterface::SharedPtr> commands_;
  rclcpp::Time time_{0, 0, RCL_STEADY_TIME};
  rclcpp::Duration period_{0, 1'000'000};
};

}  // namespace fivebar_control::test
