// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <controller_interface/chainable_controller_interface.hpp>
#include <fivebar_control/voltage_to_effort_parameters.hpp>
#include <memory>
#include <string>
#include <vector>

#include "fivebar_control/model/motor_effort.hpp"
#include "fivebar_control/ros/compatibility.hpp"

namespace fivebar_control
{

/// Stands between the feedforward controller and a simulator that knows effort only: the reference
/// interface <name>/<joint>/voltage in, the command interface <joint>/effort out, by the motor
/// model tau = torque_gain * V - damping * speed.
///
/// Where the damping sits matters. Back-EMF makes up nearly all of the motor's damping and, held
/// constant over a control period of length h, is stable only for h * damping < 2 * inertia of what
/// the joint drives. The rotors (kg² Jm) are most of that inertia and simulators do not know them
/// unless told. So by default ("damping_in: simulator") the effort is torque_gain * V alone, and
/// the simulator's joints must have the damping and the armature that this controller logs when it
/// is configured. With "damping_in: controller" the effort contains the damping; the simulator must
/// have the armature all the same, and no damping of its own.
class VoltageToEffort : public controller_interface::ChainableControllerInterface
{
public:
  using CallbackReturn = controller_interface::CallbackReturn;
  using Return = controller_interface::return_type;

  controller_interface::InterfaceConfiguration command_interface_configuration() const override;
  controller_interface::InterfaceConfiguration state_interface_configuration() const override;

  CallbackReturn on_init() override;
  CallbackReturn on_configure(const rclcpp_lifecycle::State & before) override;
  CallbackReturn on_activate(const rclcpp_lifecycle::State & before) override;
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State & before) override;

  Return update_reference_from_subscribers(FIVEBAR_SUBSCRIBER_UPDATE_ARGUMENTS) override;
  Return update_and_write_commands(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

protected:
#if FIVEBAR_FRAMEWORK_OWNS_REFERENCES
  std::vector<hardware_interface::CommandInterface::SharedPtr> on_export_reference_interfaces_list()
    override;
#else
  std::vector<hardware_interface::CommandInterface> on_export_reference_interfaces() override;
#endif
  bool on_set_chained_mode(bool chained) override;

private:
  double voltage(std::size_t joint) const;
  void clear_reference();
  bool apply(const Eigen::Vector2d & efforts);

  std::shared_ptr<voltage_to_effort::ParamListener> parameter_listener_;
  voltage_to_effort::Params parameters_;
  std::array<MotorEffort, 2> motors_;
};

}  // namespace fivebar_control
