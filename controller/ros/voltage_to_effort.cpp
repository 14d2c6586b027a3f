// SPDX-License-Identifier: Apache-2.0
#include "voltage_to_effort.hpp"

#include <cmath>
#include <limits>
#include <pluginlib/class_list_macros.hpp>

#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/support/config_location.hpp"

namespace fivebar_control
{
namespace
{
constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
}

controller_interface::InterfaceConfiguration VoltageToEffort::command_interface_configuration()
  const
{
  return {
    controller_interface::interface_configuration_type::INDIVIDUAL,
    {parameters_.joints[0] + "/effort", parameters_.joints[1] + "/effort"}};
}

controller_interface::InterfaceConfiguration VoltageToEffort::state_interface_configuration() const
{
  return {
    controller_interface::interface_configuration_type::INDIVIDUAL,
    {parameters_.joints[0] + "/velocity", parameters_.joints[1] + "/velocity"}};
}

VoltageToEffort::CallbackReturn VoltageToEffort::on_init()
{
  try
  {
    parameter_listener_ = std::make_shared<voltage_to_effort::ParamListener>(get_node());
    parameters_ = parameter_listener_->get_params();
  }
  catch (const std::exception & error)
  {
    RCLCPP_ERROR(rclcpp::get_logger("voltage_to_effort"), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  return CallbackReturn::SUCCESS;
}

VoltageToEffort::CallbackReturn VoltageToEffort::on_configure(const rclcpp_lifecycle::State &)
{
  try
  {
    const RobotModel robot = load_robot(given_or_config(parameters_.robot, "robot.yaml"));
    const bool damping_here = parameters_.damping_in == "controller";
    for (std::size_t i = 0; i < 2; ++i)
    {
      motors_[i] = motor_effort(robot.physics().motors[i]);
      RCLCPP_INFO(
        get_node()->get_logger(),
        "%s needs in the simulator: damping %.6g N m s/rad, armature %.6g",
        parameters_.joints[i].c_str(), damping_here ? 0.0 : motors_[i].damping, motors_[i].inertia);
      motors_[i].damping = damping_here ? motors_[i].damping : 0.0;
    }
  }
  catch (const std::exception & error)
  {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  return CallbackReturn::SUCCESS;
}

VoltageToEffort::CallbackReturn VoltageToEffort::on_activate(const rclcpp_lifecycle::State &)
{
  clear_reference();
  return apply(Eigen::Vector2d::Zero()) ? CallbackReturn::SUCCESS : CallbackReturn::ERROR;
}

VoltageToEffort::CallbackReturn VoltageToEffort::on_deactivate(const rclcpp_lifecycle::State &)
{
  clear_reference();
  return apply(Eigen::Vector2d::Zero()) ? CallbackReturn::SUCCESS : CallbackReturn::ERROR;
}

bool VoltageToEffort::on_set_chained_mode(bool)
{
  clear_reference();
  return true;
}

#if FIVEBAR_FRAMEWORK_OWNS_REFERENCES
std::vector<hardware_interface::CommandInterface::SharedPtr>
VoltageToEffort::on_export_reference_interfaces_list()
{
  std::vector<hardware_interface::CommandInterface::SharedPtr> interfaces;
  for (const std::string & joint : parameters_.joints)
  {
    hardware_interface::InterfaceInfo info;
    info.name = "voltage";
    info.data_type = "double";
    interfaces.push_back(std::make_shared<hardware_interface::CommandInterface>(
      hardware_interface::InterfaceDescription(
        std::string(get_node()->get_name()) + "/" + joint, info)));
  }
  return interfaces;
}

double VoltageToEffort::voltage(std::size_t joint) const
{
  return compatibility::get(*ordered_exported_reference_interfaces_[joint]).value_or(nothing);
}

void VoltageToEffort::clear_reference()
{
  for (const auto & interface : ordered_exported_reference_interfaces_)
  {
    compatibility::set(*interface, nothing);
  }
}
#else
std::vector<hardware_interface::CommandInterface> VoltageToEffort::on_export_reference_interfaces()
{
  reference_interfaces_.assign(2, nothing);
  std::vector<hardware_interface::CommandInterface> interfaces;
  for (std::size_t i = 0; i < 2; ++i)
  {
    interfaces.emplace_back(
      get_node()->get_name(), parameters_.joints[i] + "/voltage", &reference_interfaces_[i]);
  }
  return interfaces;
}

double VoltageToEffort::voltage(std::size_t joint) const { return reference_interfaces_[joint]; }

void VoltageToEffort::clear_reference() { reference_interfaces_.assign(2, nothing); }
#endif

bool VoltageToEffort::apply(const Eigen::Vector2d & efforts)
{
  bool good = command_interfaces_.size() == 2;
  for (std::size_t i = 0; good && i < 2; ++i)
  {
    good = compatibility::set(command_interfaces_[i], efforts[i]);
  }
  return good;
}

VoltageToEffort::Return VoltageToEffort::update_reference_from_subscribers(
  FIVEBAR_SUBSCRIBER_UPDATE_ARGUMENTS)
{
  // Volts come from another controller only.
  return Return::OK;
}

VoltageToEffort::Return VoltageToEffort::update_and_write_commands(
  const rclcpp::Time &, const rclcpp::Duration &)
{
  Eigen::Vector2d efforts = Eigen::Vector2d::Zero();
  bool finite = true;
  for (std::size_t i = 0; i < 2; ++i)
  {
    const double volts = voltage(i);
    const double speed = compatibility::get(state_interfaces_[i]).value_or(nothing);
    // No reference yet: zero volts.
    efforts[i] = motors_[i].torque(std::isfinite(volts) ? volts : 0.0, speed);
    finite = finite && std::isfinite(efforts[i]);
  }
  if (!finite)
  {
    apply(Eigen::Vector2d::Zero());
    return Return::ERROR;
  }
  return apply(efforts) ? Return::OK : Return::ERROR;
}

}  // namespace fivebar_control

PLUGINLIB_EXPORT_CLASS(
  fivebar_control::VoltageToEffort, controller_interface::ChainableControllerInterface)
