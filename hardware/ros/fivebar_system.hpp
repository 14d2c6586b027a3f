// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <hardware_interface/system_interface.hpp>
#include <memory>
#include <optional>
#include <rclcpp/logger.hpp>
#include <rclcpp_lifecycle/state.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "effort_guard.hpp"
#include "fivebar_control/controller/velocity_estimator.hpp"
#include "fivebar_control/hardware/motor_hardware.hpp"
#include "fivebar_control/model/motor_effort.hpp"
#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/ros/compatibility.hpp"
#include "hardware_tag.hpp"
#include "homing_task.hpp"

namespace fivebar_control
{

/// The robot as ros2_control hardware. The <hardware> tag chooses and describes the backend
/// (docs/ros.md has the table); the <joint> tags come in the order joint_1, joint_4 (driven:
/// commands voltage and, for foreign controllers, effort; states position and velocity) and, if
/// RViz is to show the whole linkage, joint_2, joint_3 (passive). A <gpio> with the name of the
/// parameter motor_board tells the controller when the sample was taken and what the device says
/// about itself.
///
/// Nothing moves unless the component is active. Activation arms the motors; where it is not known
/// yet where the links stand, it starts the homing, and the motors obey when that is done.
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

  /// Refuses volts and efforts at the same time, and efforts before the links are homed.
  Return prepare_command_mode_switch(
    const std::vector<std::string> & start_interfaces,
    const std::vector<std::string> & stop_interfaces) override;
  /// Zero volts for motors that no controller commands any more.
  Return perform_command_mode_switch(
    const std::vector<std::string> & start_interfaces,
    const std::vector<std::string> & stop_interfaces) override;

  Return read(const rclcpp::Time & time, const rclcpp::Duration & period) override;
  Return write(const rclcpp::Time & time, const rclcpp::Duration & period) override;

protected:
  /// The backend that the <hardware> tag names; throws InputError. A test puts a failing one here.
  virtual std::unique_ptr<MotorHardware> make_hardware(
    const BackendChoice & choice, const RobotModel & robot);

private:
  using StateValue = compatibility::Value<hardware_interface::StateInterface>;

  /// One state interface of the motor board.
  struct BoardValue
  {
    const char * name;
    StateValue value;
  };

  void read_parameters();
  void find_values();
  void show(const MotorSample & sample);
  void show_unknown_pose();
  void show_arming();
  void begin_driving();
  Return finish_homing();
  Eigen::Vector2d volts_for(const Commands::Wanted & wanted) const;
  bool obeys(const Commands::Wanted & wanted);
  Eigen::Vector2d limited(const Eigen::Vector2d & wanted, CommandKind kind) const;
  bool guard_stops(const Commands::Wanted & wanted, const Eigen::Vector2d & volts);
  Return tolerate(HardwareError error, int & failures, const char * what);
  void stop() noexcept;
  void complain(const char * what, HardwareError error) const;
  rclcpp::Logger logger() const;

  SystemSettings settings_;
  BackendChoice choice_;
  std::optional<RobotModel> robot_;
  std::array<MotorEffort, 2> motors_;
  std::unique_ptr<MotorHardware> hardware_;
  HomingTask homing_;      ///< ends before the hardware
  std::string objection_;  ///< to driving these motors; empty if there is none
  Encoder encoder_;
  std::optional<VelocityEstimator> velocity_;
  std::optional<EffortGuard> guard_;

  std::array<StateValue, 4> angle_values_, speed_values_;
  enum BoardSlot
  {
    sample_time,
    status,
    simulated,
    armed,
    arm_count,
    guard,
  };
  std::array<BoardValue, 6> board_ = {
    {{"sample_time", {}},
     {"status", {}},
     {"simulated", {}},
     {"armed", {}},
     {"arm_count", {}},
     {"guard", {}}}};
  Commands commands_;

  bool is_homing_ = false;  ///< from the activation until read() has seen the end of it
  bool pose_known_ = false;
  bool armed_ = false;
  bool obeying_ = false;  ///< commands are no longer those of before the arming
  int arm_count_ = 0;
  EffortStop stop_ = EffortStop::none;
  bool first_sample_ = true;
  bool read_good_ = false;
  MotorSample sample_;
  std::int64_t elapsed_ns_ = 0;  ///< between the last two samples; 0: the last read failed
  Eigen::Vector2d angle_ = Eigen::Vector2d::Zero();
  Eigen::Vector2d angle_before_ = Eigen::Vector2d::Zero();
  Eigen::Vector2d volts_ = Eigen::Vector2d::Zero();
  int failed_reads_ = 0;
  int failed_writes_ = 0;
};

}  // namespace fivebar_control
