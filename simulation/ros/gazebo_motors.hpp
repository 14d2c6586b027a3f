// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <gz_ros2_control/gz_system_interface.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fivebar_control/controller/velocity_estimator.hpp"
#include "fivebar_control/ros/compatibility.hpp"
#include "fivebar_control/simulation/outside_plant.hpp"

namespace fivebar_control
{

/// The robot in Gazebo as gz_ros2_control's hardware, with the interfaces of the lab robot: volts
/// in, encoder readings out, and a motor board that tells when it read them. Between the links in
/// Gazebo and the controllers stand motors, amplifiers and encoders of a plant file (parameters
/// `robot` and `plant` of the <hardware> tag). Angles are zero at home, as in the description.
///
/// Brakes hold the driven links until the first volts: nobody has to hurry before gravity does.
class GazeboMotors : public gz_ros2_control::GazeboSimSystemInterface
{
public:
  using CallbackReturn = hardware_interface::CallbackReturn;
  using Return = hardware_interface::return_type;

  bool initSim(
    rclcpp::Node::SharedPtr & node, std::map<std::string, gz::sim::Entity> & joints,
    const hardware_interface::HardwareInfo & info, gz::sim::EntityComponentManager & components,
    unsigned int update_rate) override;

  CallbackReturn on_configure(const rclcpp_lifecycle::State & before) override;
  CallbackReturn on_activate(const rclcpp_lifecycle::State & before) override;
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State & before) override;

  /// Zero volts for motors that no controller commands any more.
  Return perform_command_mode_switch(
    const std::vector<std::string> & start_interfaces,
    const std::vector<std::string> & stop_interfaces) override;

  /// After a step of Gazebo: what the encoders show.
  Return read(const rclcpp::Time & time, const rclcpp::Duration & period) override;
  /// Before each step of Gazebo: what the motors do.
  Return write(const rclcpp::Time & time, const rclcpp::Duration & period) override;

private:
  using StateValue = compatibility::Value<hardware_interface::StateInterface>;
  using CommandValue = compatibility::Value<hardware_interface::CommandInterface>;

  Eigen::Vector2d commanded() const;
  void show(const MotorSample & sample);

  gz::sim::EntityComponentManager * components_ = nullptr;
  std::array<gz::sim::Entity, 4> joints_{};  ///< in the order of JointStates
  std::optional<RobotModel> robot_;
  Eigen::Vector2d home_ = Eigen::Vector2d::Zero();  ///< rad
  std::unique_ptr<OutsidePlant> plant_;
  Encoder encoder_;
  double period_ = 1e-3;  ///< s, of the controllers

  std::array<StateValue, 4> angle_values_, speed_values_;  ///< in the order of JointStates
  std::array<CommandValue, 2> volt_values_;
  StateValue sample_time_, status_, simulated_, armed_value_, arm_count_value_;

  std::optional<VelocityEstimator> velocity_;
  bool first_sample_ = true;
  bool braked_ = true;
  bool armed_ = false;
  int arm_count_ = 0;
};

}  // namespace fivebar_control
