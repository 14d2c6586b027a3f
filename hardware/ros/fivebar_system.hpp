// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <hardware_interface/system_interface.hpp>
#include <memory>
#include <optional>
#include <rclcpp_lifecycle/state.hpp>
#include <string>
#include <vector>

#include "fivebar_control/controller/velocity_estimator.hpp"
#include "fivebar_control/hardware/motor_hardware.hpp"
#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/ros/compatibility.hpp"

namespace fivebar_control
{

/// The robot as ros2_control hardware. The <hardware> tag chooses and describes the backend
/// (docs/ros.md has the table); the <joint> tags come in the order joint_1, joint_4 (driven:
/// command voltage, states position and velocity) and, if RViz is to show the whole linkage,
/// joint_2, joint_3 (passive). A <gpio> with the name of the parameter motor_board tells the
/// controller when the sample was taken and what the device says about itself.
class FiveBarSystem : public hardware_interface::SystemInterface
{
public:
  using CallbackReturn = hardware_interface::CallbackReturn;
  using Return = hardware_interface::return_type;

  CallbackReturn on_init(const compatibility::HardwareInit & init) override;
  CallbackReturn on_configure(const rclcpp_lifecycle::State & before) override;
  CallbackReturn on_activate(const rclcpp_lifecycle::State & before) override;
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State & before) override;
  CallbackReturn on_cleanup(const rclcpp_lifecycle::State & before) override;
  CallbackReturn on_shutdown(const rclcpp_lifecycle::State & before) override;
  CallbackReturn on_error(const rclcpp_lifecycle::State & before) override;

#if !FIVEBAR_FRAMEWORK_OWNS_VALUES
  std::vector<hardware_interface::StateInterface> export_state_interfaces() override;
  std::vector<hardware_interface::CommandInterface> export_command_interfaces() override;
#endif

  /// Zero volts for motors that no controller commands any more.
  Return perform_command_mode_switch(
    const std::vector<std::string> & start_interfaces,
    const std::vector<std::string> & stop_interfaces) override;

  Return read(const rclcpp::Time & time, const rclcpp::Duration & period) override;
  Return write(const rclcpp::Time & time, const rclcpp::Duration & period) override;

protected:
  /// The backend that the <hardware> tag names; throws InputError. A test puts a failing one here.
  virtual std::unique_ptr<MotorHardware> make_hardware(
    const std::string & backend, const RobotModel & robot, std::int64_t period_ns);

  /// A parameter of the <hardware> tag.
  std::string parameter(const std::string & name, const std::string & otherwise) const;

private:
  using StateValue = compatibility::Value<hardware_interface::StateInterface>;
  using CommandValue = compatibility::Value<hardware_interface::CommandInterface>;

  void read_parameters();
  void require_joints() const;
  void find_values();
  void show(const MotorSample & sample);
  Return tolerate(HardwareError error, int & failures, const char * what);
  void stop() noexcept;
  void complain(const char * what, HardwareError error) const;
  rclcpp::Logger logger() const;

  std::optional<RobotModel> robot_;
  std::int64_t period_ns_ = 0;
  int tolerated_errors_ = 0;
  std::string motor_board_;
  std::array<std::string, 2> volt_names_;
  std::unique_ptr<MotorHardware> hardware_;
  Encoder encoder_;
  std::optional<VelocityEstimator> velocity_;

  std::array<StateValue, 4> angle_values_, speed_values_;
  std::array<CommandValue, 2> volt_values_;
  StateValue sample_time_value_, status_value_, simulated_value_, armed_value_, arm_count_value_;

  bool armed_ = false;
  int arm_count_ = 0;
  bool first_sample_ = true;
  std::int64_t sample_time_ns_ = 0;
  int failed_reads_ = 0;
  int failed_writes_ = 0;
};

}  // namespace fivebar_control
