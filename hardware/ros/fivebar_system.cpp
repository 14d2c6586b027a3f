// SPDX-License-Identifier: Apache-2.0
#include "fivebar_system.hpp"

#include <cmath>
#include <limits>
#include <pluginlib/class_list_macros.hpp>
#include <rclcpp/logging.hpp>
#include <rclcpp/utilities.hpp>

#include "fivebar_control/controller/output_pipeline.hpp"
#include "fivebar_control/model/joint_states.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/support/config_location.hpp"

namespace fivebar_control
{

rclcpp::Logger FiveBarSystem::logger() const
{
  return compatibility::component_logger(*this, info_.name);
}

FiveBarSystem::CallbackReturn FiveBarSystem::on_init(const compatibility::HardwareInit & init)
{
  const CallbackReturn base = SystemInterface::on_init(init);
  if (base != CallbackReturn::SUCCESS)
  {
    return base;
  }
  info_ = compatibility::info_of(init);
  try
  {
    require_joints(info_);
    read_parameters();
  }
  catch (const std::exception & error)
  {
    RCLCPP_ERROR(logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  return CallbackReturn::SUCCESS;
}

void FiveBarSystem::read_parameters()
{
  commands_.name(info_);
  settings_ = system_settings(info_);
  robot_ = load_robot(given_or_config(tag_parameter(info_, "robot", ""), "robot.yaml"));
  motors_ = {
    motor_effort(robot_->parameters().physics.motors[0]),
    motor_effort(robot_->parameters().physics.motors[1])};
  velocity_.emplace(VelocitySettings{}, static_cast<double>(settings_.period_ns) * 1e-9);
  guard_.emplace(*robot_, settings_.effort_timeout_ns);
  choice_ = backend_choice(info_, settings_, *robot_);
  hardware_ = make_hardware(choice_, *robot_);
}

std::unique_ptr<MotorHardware> FiveBarSystem::make_hardware(
  const BackendChoice & choice, const RobotModel & robot)
{
  return make_backend(robot, choice);
}

#if FIVEBAR_FRAMEWORK_OWNS_VALUES
void FiveBarSystem::find_values()
{
  for (std::size_t i = 0; i < info_.joints.size(); ++i)
  {
    angle_values_[i].find(info_.joints[i].name + "/position", joint_states_);
    speed_values_[i].find(info_.joints[i].name + "/velocity", joint_states_);
  }
  commands_.find(joint_commands_);
  for (BoardValue & shown : board_)
  {
    shown.value.find(settings_.motor_board + "/" + shown.name, gpio_states_);
  }
}
#else
void FiveBarSystem::find_values() {}

std::vector<hardware_interface::StateInterface> FiveBarSystem::export_state_interfaces()
{
  std::vector<hardware_interface::StateInterface> interfaces;
  for (std::size_t i = 0; i < info_.joints.size(); ++i)
  {
    angle_values_[i].export_to(interfaces, info_.joints[i].name, "position");
    speed_values_[i].export_to(interfaces, info_.joints[i].name, "velocity");
  }
  for (const auto & gpio : info_.gpios)
  {
    for (BoardValue & shown : board_)
    {
      if (gpio.name == settings_.motor_board)
      {
        shown.value.export_to(interfaces, gpio.name, shown.name);
      }
    }
  }
  return interfaces;
}

std::vector<hardware_interface::CommandInterface> FiveBarSystem::export_command_interfaces()
{
  return commands_.exported();
}
#endif

void FiveBarSystem::complain(const char * what, HardwareError error) const
{
  const std::string more = hardware_->explanation();
  RCLCPP_ERROR(
    logger(), "%s did not %s: %s%s%s", hardware_->description().c_str(), what, to_string(error),
    more.empty() ? "" : ": ", more.c_str());
}

FiveBarSystem::CallbackReturn FiveBarSystem::on_configure(const rclcpp_lifecycle::State &)
{
  find_values();
  try
  {
    objection_ = objection_to(settings_, choice_, *robot_);
  }
  catch (const std::exception & error)
  {
    objection_ = error.what();
  }
  if (const HardwareError error = hardware_->open(); error != HardwareError::none)
  {
    complain("open", error);
    return CallbackReturn::FAILURE;
  }
  pose_known_ = hardware_->is_homed();
  encoder_ = hardware_->encoder();
  first_sample_ = true;
  failed_reads_ = 0;
  stop_ = EffortStop::none;
  board_[simulated].value.set(hardware_->clock() == HardwareClock::simulated ? 1.0 : 0.0);
  show_unknown_pose();
  show_arming();
  RCLCPP_INFO(
    logger(), "%s is open%s", hardware_->description().c_str(),
    pose_known_ ? "" : "; its links are homed when it is activated");
  return CallbackReturn::SUCCESS;
}

FiveBarSystem::CallbackReturn FiveBarSystem::on_activate(const rclcpp_lifecycle::State &)
{
  if (!objection_.empty() && !settings_.uncommissioned)
  {
    RCLCPP_ERROR(
      logger(),
      "not activated: %s. Commission the robot first ('fivebar commission --hardware %s'), or set "
      "the parameter uncommissioned of the <hardware> tag to true.",
      objection_.c_str(), choice_.name.c_str());
    return CallbackReturn::FAILURE;
  }
  if (!objection_.empty())
  {
    RCLCPP_WARN(
      logger(),
      "!!! UNCOMMISSIONED !!! These motors are driven WITHOUT a commissioning: %s. A wrong sign, "
      "an "
      "exchanged cable or wrong counts were not ruled out. Keep a hand on the emergency stop.",
      objection_.c_str());
  }
  commands_.clear();
  failed_reads_ = 0;
  failed_writes_ = 0;
  stop_ = EffortStop::none;
  if (!hardware_->is_homed())
  {
    RCLCPP_WARN(logger(), "%s: homing, the links move", hardware_->description().c_str());
    is_homing_ = true;
    // Without ROS running at all, as in a program of one's own, nobody can ask it to stop.
    const bool running = rclcpp::ok();
    homing_.start(*hardware_, [running] { return running && !rclcpp::ok(); });
    return CallbackReturn::SUCCESS;
  }
  if (const HardwareError error = hardware_->arm(); error != HardwareError::none)
  {
    complain("arm", error);
    return CallbackReturn::FAILURE;
  }
  begin_driving();
  return CallbackReturn::SUCCESS;
}

/// The motors are armed: from now on they get volts in every cycle.
void FiveBarSystem::begin_driving()
{
  armed_ = true;
  ++arm_count_;
  // A controller that has been commanding all the time does not know that the motors were off.
  obeying_ = !commands_.are_claimed();
  volts_.setZero();
  guard_->reset();
  show_arming();
  board_[armed].value.set(obeying_ ? 1.0 : 0.0);
}

FiveBarSystem::Return FiveBarSystem::finish_homing()
{
  is_homing_ = false;
  if (homing_.error() != HardwareError::none)
  {
    complain(homing_.step(), homing_.error());
    return Return::ERROR;
  }
  RCLCPP_INFO(logger(), "%s is homed", hardware_->description().c_str());
  pose_known_ = true;
  encoder_ = hardware_->encoder();
  first_sample_ = true;
  begin_driving();
  return Return::OK;
}

void FiveBarSystem::stop() noexcept
{
  const bool was_homing = is_homing_;
  homing_.stop();
  is_homing_ = false;
  if (armed_ || was_homing)
  {
    hardware_->write({0.0, 0.0});
    hardware_->disarm();
    armed_ = false;
    volts_.setZero();
    show_arming();
  }
}

FiveBarSystem::CallbackReturn FiveBarSystem::on_deactivate(const rclcpp_lifecycle::State &)
{
  stop();
  return CallbackReturn::SUCCESS;
}

FiveBarSystem::CallbackReturn FiveBarSystem::on_cleanup(const rclcpp_lifecycle::State &)
{
  stop();
  hardware_->close();
  return CallbackReturn::SUCCESS;
}

FiveBarSystem::CallbackReturn FiveBarSystem::on_shutdown(const rclcpp_lifecycle::State & before)
{
  return on_cleanup(before);
}

FiveBarSystem::CallbackReturn FiveBarSystem::on_error(const rclcpp_lifecycle::State & before)
{
  // Back to unconfigured, from where it may be configured anew.
  return on_cleanup(before);
}

}  // namespace fivebar_control

PLUGINLIB_EXPORT_CLASS(fivebar_control::FiveBarSystem, hardware_interface::SystemInterface)
