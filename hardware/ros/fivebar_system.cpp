// SPDX-License-Identifier: Apache-2.0
#include "fivebar_system.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <pluginlib/class_list_macros.hpp>
#include <rclcpp/logging.hpp>
#include <rclcpp/utilities.hpp>

#include "fivebar_control/controller/output_pipeline.hpp"
#include "fivebar_control/hardware/backends/backend.hpp"
#include "fivebar_control/hardware/hardware_parameter.hpp"
#include "fivebar_control/model/joint_states.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

constexpr const char * voltage = "voltage";
constexpr const char * position = "position";
constexpr const char * velocity = "velocity";

bool has_interface(
  const std::vector<hardware_interface::InterfaceInfo> & interfaces, const char * name)
{
  return std::any_of(
    interfaces.begin(), interfaces.end(), [name](const auto & i) { return i.name == name; });
}

}  // namespace

rclcpp::Logger FiveBarSystem::logger() const { return rclcpp::get_logger("FiveBarSystem"); }

std::string FiveBarSystem::parameter(const std::string & name, const std::string & otherwise) const
{
  const auto found = info_.hardware_parameters.find(name);
  return found == info_.hardware_parameters.end() || found->second.empty() ? otherwise
                                                                           : found->second;
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
    require_joints();
    read_parameters();
  }
  catch (const std::exception & error)
  {
    RCLCPP_ERROR(logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  return CallbackReturn::SUCCESS;
}

void FiveBarSystem::require_joints() const
{
  if (info_.joints.size() != 2 && info_.joints.size() != 4)
  {
    throw InputError(fmt::format(
      "<ros2_control name=\"{}\">: expected the joints joint_1, joint_4 and optionally joint_2, "
      "joint_3 in this order, found {} joints",
      info_.name, info_.joints.size()));
  }
  for (std::size_t i = 0; i < info_.joints.size(); ++i)
  {
    const auto & joint = info_.joints[i];
    const bool driven = i < 2;
    const bool commands_good = driven ? joint.command_interfaces.size() == 1 &&
                                          has_interface(joint.command_interfaces, voltage)
                                      : joint.command_interfaces.empty();
    const bool states_good = has_interface(joint.state_interfaces, position) &&
                             has_interface(joint.state_interfaces, velocity) &&
                             joint.state_interfaces.size() == 2;
    if (!commands_good || !states_good)
    {
      throw InputError(fmt::format(
        "<joint name=\"{}\">: expected {} and the state interfaces position and velocity",
        joint.name,
        driven ? "the command interface voltage" : "no command interface (a passive joint)"));
    }
  }
}

void FiveBarSystem::read_parameters()
{
  volt_names_ = {info_.joints[0].name + "/" + voltage, info_.joints[1].name + "/" + voltage};
  robot_ = load_robot(given_or_config(parameter("robot", ""), "robot.yaml"));
  tolerated_errors_ = whole_number("tolerated_errors", parameter("tolerated_errors", "5"), 0, 1000);
  motor_board_ = parameter("motor_board", "motor_board");
  const unsigned int told = compatibility::read_rate(info_);
  const int rate =
    told > 0 ? static_cast<int>(told) : whole_number("rate", parameter("rate", "1000"), 1, 100000);
  period_ns_ = 1'000'000'000 / rate;
  velocity_.emplace(VelocitySettings{}, static_cast<double>(period_ns_) * 1e-9);
  hardware_ = make_hardware(parameter("backend", "sim"), *robot_, period_ns_);
}

std::unique_ptr<MotorHardware> FiveBarSystem::make_hardware(
  const std::string & backend, const RobotModel & robot, std::int64_t period_ns)
{
  BackendChoice choice;
  choice.name = backend;
  if (const std::string plant = parameter("plant", ""); !plant.empty())
  {
    choice.plant = load_plant(plant);
  }
  choice.start = robot.parameters().home;
  choice.period_ns = period_ns;
  if (const std::string in_config = default_calibration(backend); !in_config.empty())
  {
    choice.calibration = given_or_config(parameter("calibration", ""), in_config);
  }
  // A text, as xacro writes it.
  const std::string homed = parameter("homed", "false");
  choice.zero = {default_state_folder(), homed == "true" || homed == "True"};
  return make_backend(robot, choice);
}

#if FIVEBAR_FRAMEWORK_OWNS_VALUES
void FiveBarSystem::find_values()
{
  for (std::size_t i = 0; i < info_.joints.size(); ++i)
  {
    const std::string & joint = info_.joints[i].name;
    angle_values_[i].find(joint + "/" + position, joint_states_);
    speed_values_[i].find(joint + "/" + velocity, joint_states_);
    if (i < 2)
    {
      volt_values_[i].find(joint + "/" + voltage, joint_commands_);
    }
  }
  sample_time_value_.find(motor_board_ + "/sample_time", gpio_states_);
  status_value_.find(motor_board_ + "/status", gpio_states_);
  simulated_value_.find(motor_board_ + "/simulated", gpio_states_);
  armed_value_.find(motor_board_ + "/armed", gpio_states_);
  arm_count_value_.find(motor_board_ + "/arm_count", gpio_states_);
}
#else
void FiveBarSystem::find_values() {}

std::vector<hardware_interface::StateInterface> FiveBarSystem::export_state_interfaces()
{
  std::vector<hardware_interface::StateInterface> interfaces;
  for (std::size_t i = 0; i < info_.joints.size(); ++i)
  {
    angle_values_[i].export_to(interfaces, info_.joints[i].name, position);
    speed_values_[i].export_to(interfaces, info_.joints[i].name, velocity);
  }
  for (const auto & gpio : info_.gpios)
  {
    if (gpio.name == motor_board_)
    {
      sample_time_value_.export_to(interfaces, motor_board_, "sample_time");
      status_value_.export_to(interfaces, motor_board_, "status");
      simulated_value_.export_to(interfaces, motor_board_, "simulated");
      armed_value_.export_to(interfaces, motor_board_, "armed");
      arm_count_value_.export_to(interfaces, motor_board_, "arm_count");
    }
  }
  return interfaces;
}

std::vector<hardware_interface::CommandInterface> FiveBarSystem::export_command_interfaces()
{
  std::vector<hardware_interface::CommandInterface> interfaces;
  for (std::size_t i = 0; i < 2; ++i)
  {
    volt_values_[i].export_to(interfaces, info_.joints[i].name, voltage);
  }
  return interfaces;
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
  const HardwareError error = hardware_->open();
  if (error != HardwareError::none)
  {
    complain("open", error);
    return CallbackReturn::FAILURE;
  }
  // Without ROS running at all, as in a program of one's own, nobody can ask it to stop.
  const bool running = rclcpp::ok();
  const HardwareError homed = hardware_->home([running] { return running && !rclcpp::ok(); });
  if (homed != HardwareError::none)
  {
    complain("home", homed);
    hardware_->close();
    return CallbackReturn::FAILURE;
  }
  encoder_ = hardware_->encoder();
  first_sample_ = true;
  failed_reads_ = 0;
  simulated_value_.set(hardware_->clock() == HardwareClock::simulated ? 1.0 : 0.0);
  armed_value_.set(0.0);
  arm_count_value_.set(arm_count_);
  RCLCPP_INFO(logger(), "%s is open", hardware_->description().c_str());
  return CallbackReturn::SUCCESS;
}

FiveBarSystem::CallbackReturn FiveBarSystem::on_activate(const rclcpp_lifecycle::State &)
{
  for (CommandValue & value : volt_values_)
  {
    value.set(0.0);
  }
  failed_reads_ = 0;
  failed_writes_ = 0;
  const HardwareError error = hardware_->arm();
  if (error != HardwareError::none)
  {
    complain("arm", error);
    return CallbackReturn::FAILURE;
  }
  armed_ = true;
  ++arm_count_;
  armed_value_.set(1.0);
  arm_count_value_.set(arm_count_);
  return CallbackReturn::SUCCESS;
}

void FiveBarSystem::stop() noexcept
{
  if (armed_)
  {
    hardware_->write({0.0, 0.0});
    hardware_->disarm();
    armed_ = false;
    armed_value_.set(0.0);
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

FiveBarSystem::Return FiveBarSystem::perform_command_mode_switch(
  const std::vector<std::string> &, const std::vector<std::string> & stop_interfaces)
{
  for (const std::string & stopped : stop_interfaces)
  {
    for (std::size_t i = 0; i < 2; ++i)
    {
      if (stopped == volt_names_[i])
      {
        volt_values_[i].set(0.0);
      }
    }
  }
  return Return::OK;
}

FiveBarSystem::Return FiveBarSystem::tolerate(
  HardwareError error, int & failures, const char * what)
{
  if (error == HardwareError::none)
  {
    failures = 0;
    return Return::OK;
  }
  ++failures;
  if (failures <= tolerated_errors_)
  {
    return Return::OK;
  }
  stop();
  RCLCPP_ERROR(
    logger(), "%s: %d %s in a row failed, the last with '%s': zero volts, disarmed",
    hardware_->description().c_str(), failures, what, to_string(error));
  return Return::ERROR;
}

void FiveBarSystem::show(const MotorSample & sample)
{
  const Eigen::Vector2d angle = encoder_.angle(sample);
  if (first_sample_)
  {
    velocity_->reset(angle);
  }
  else
  {
    velocity_->update(angle, static_cast<double>(sample.time_ns - sample_time_ns_) * 1e-9);
  }
  first_sample_ = false;
  sample_time_ns_ = sample.time_ns;
  const JointStates joints = joint_states(robot_->kinematics(), angle, velocity_->speed());
  for (std::size_t i = 0; i < info_.joints.size(); ++i)
  {
    angle_values_[i].set(joints.angle[i]);
    speed_values_[i].set(joints.speed[i]);
  }
  sample_time_value_.set(static_cast<double>(sample.time_ns) * 1e-9);
  status_value_.set(static_cast<double>(sample.status));
  const bool drives = armed_ && (sample.status & motor_status::armed) != 0U;
  armed_value_.set(drives ? 1.0 : 0.0);
  arm_count_value_.set(arm_count_);
}

FiveBarSystem::Return FiveBarSystem::read(const rclcpp::Time &, const rclcpp::Duration &)
{
  MotorSample sample;
  const HardwareError error = hardware_->read(sample);
  if (error == HardwareError::none)
  {
    show(sample);
  }
  return tolerate(error, failed_reads_, "reads");
}

FiveBarSystem::Return FiveBarSystem::write(const rclcpp::Time &, const rclcpp::Duration &)
{
  if (!armed_)
  {
    return Return::OK;
  }
  Eigen::Vector2d volts = Eigen::Vector2d::Zero();
  bool finite = true;
  for (std::size_t i = 0; i < 2; ++i)
  {
    const double wanted = volt_values_[i].get().value_or(std::nan(""));
    finite = finite && std::isfinite(wanted);
    volts[i] = clamp_magnitude(wanted, robot_->limits().voltage);
  }
  if (!finite)
  {
    volts.setZero();
  }
  const HardwareError error = hardware_->write(volts);
  return tolerate(finite ? error : HardwareError::bad_data, failed_writes_, "writes");
}

}  // namespace fivebar_control

PLUGINLIB_EXPORT_CLASS(fivebar_control::FiveBarSystem, hardware_interface::SystemInterface)
