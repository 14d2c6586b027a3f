// SPDX-License-Identifier: Apache-2.0
// What FiveBarSystem does in every cycle, and when controllers come and go.
#include <cmath>
#include <limits>
#include <rclcpp/logging.hpp>

#include "fivebar_control/controller/output_pipeline.hpp"
#include "fivebar_control/model/joint_states.hpp"
#include "fivebar_system.hpp"

namespace fivebar_control
{

FiveBarSystem::Return FiveBarSystem::prepare_command_mode_switch(
  const std::vector<std::string> & start_interfaces,
  const std::vector<std::string> & stop_interfaces)
{
  if (!commands_.may_switch(start_interfaces, stop_interfaces))
  {
    RCLCPP_ERROR(
      logger(),
      "refused: volts and efforts cannot be commanded at the same time. Deactivate the one "
      "controller in the request that activates the other.");
    return Return::ERROR;
  }
  if (commands_.starts_efforts(start_interfaces) && !(armed_ && pose_known_))
  {
    RCLCPP_ERROR(
      logger(), "refused: efforts are taken only when the motors are armed and the links homed%s",
      is_homing_ ? "; the homing is under way" : "");
    return Return::ERROR;
  }
  return Return::OK;
}

FiveBarSystem::Return FiveBarSystem::perform_command_mode_switch(
  const std::vector<std::string> & start_interfaces,
  const std::vector<std::string> & stop_interfaces)
{
  const bool started = commands_.perform_switch(start_interfaces, stop_interfaces);
  obeying_ = obeying_ || started;
  guard_->reset();
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
  if (failures <= settings_.tolerated_errors)
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
  elapsed_ns_ = first_sample_ ? 0 : sample.time_ns - sample_.time_ns;
  if (first_sample_)
  {
    velocity_->reset(angle);
  }
  else
  {
    velocity_->update(angle, static_cast<double>(elapsed_ns_) * 1e-9);
  }
  angle_before_ = first_sample_ ? angle : angle_;
  angle_ = angle;
  first_sample_ = false;
  sample_ = sample;
  if (pose_known_)
  {
    const JointStates joints = joint_states(robot_->kinematics(), angle, velocity_->speed());
    for (std::size_t i = 0; i < info_.joints.size(); ++i)
    {
      angle_values_[i].set(joints.angle[i]);
      speed_values_[i].set(joints.speed[i]);
    }
  }
  board_[sample_time].value.set(static_cast<double>(sample.time_ns) * 1e-9);
  board_[status].value.set(static_cast<double>(sample.status));
  show_arming();
}

/// Better no angle than a wrong one.
void FiveBarSystem::show_unknown_pose()
{
  for (std::size_t i = 0; !pose_known_ && i < info_.joints.size(); ++i)
  {
    angle_values_[i].set(std::numeric_limits<double>::quiet_NaN());
    speed_values_[i].set(std::numeric_limits<double>::quiet_NaN());
  }
}

void FiveBarSystem::show_arming()
{
  const bool drives = armed_ && obeying_ && (sample_.status & motor_status::armed) != 0U;
  board_[armed].value.set(drives ? 1.0 : 0.0);
  board_[arm_count].value.set(arm_count_);
  board_[guard].value.set(static_cast<double>(stop_));
}

FiveBarSystem::Return FiveBarSystem::read(const rclcpp::Time &, const rclcpp::Duration &)
{
  if (homing_.is_running())
  {
    return Return::OK;  // the device is the homing's
  }
  if (is_homing_ && finish_homing() != Return::OK)
  {
    return Return::ERROR;
  }
  MotorSample sample;
  const HardwareError error = hardware_->read(sample);
  read_good_ = error == HardwareError::none;
  elapsed_ns_ = 0;
  if (read_good_)
  {
    show(sample);
  }
  return tolerate(error, failed_reads_, "reads");
}

/// Commands of before the arming must have ended: at zero, with their controller, or with the start
/// of another one.
bool FiveBarSystem::obeys(const Commands::Wanted & wanted)
{
  obeying_ = obeying_ || !commands_.are_claimed() || wanted.value.isZero(0.0);
  return obeying_;
}

/// Effort to volts by the motor's equation (docs/ros.md); zero where nobody commands an effort.
Eigen::Vector2d FiveBarSystem::volts_for(const Commands::Wanted & wanted) const
{
  Eigen::Vector2d volts = wanted.value;
  for (std::size_t i = 0; wanted.kind == CommandKind::effort && i < 2; ++i)
  {
    const auto joint = static_cast<Eigen::Index>(i);
    volts[joint] = wanted.unclaimed[i]
                     ? 0.0
                     : motors_[i].voltage(wanted.value[joint], velocity_->speed()[joint]);
  }
  return volts;
}

/// Whoever commands volts keeps to the robot's voltage rate himself; efforts know nothing of it.
Eigen::Vector2d FiveBarSystem::limited(const Eigen::Vector2d & wanted, CommandKind kind) const
{
  const double period = static_cast<double>(settings_.period_ns) * 1e-9;
  const double unlimited = std::numeric_limits<double>::max();
  return limit_output(
    wanted, volts_,
    {robot_->limits().voltage,
     kind == CommandKind::effort ? robot_->limits().voltage_rate * period : unlimited});
}

bool FiveBarSystem::guard_stops(const Commands::Wanted & wanted, const Eigen::Vector2d & volts)
{
  EffortGuard::Cycle cycle;
  cycle.read_good = read_good_;
  cycle.device_good = motor_status::is_good(sample_.status);
  cycle.angle = angle_;
  cycle.before = angle_before_;
  cycle.speed = velocity_->speed();
  cycle.volts = volts_;
  cycle.effort = wanted.value;
  cycle.wanted = volts;
  cycle.next = limited(volts, CommandKind::effort);
  cycle.elapsed_ns = elapsed_ns_;
  stop_ = guard_->check(cycle);
  if (stop_ == EffortStop::none)
  {
    return false;
  }
  stop();
  RCLCPP_ERROR(
    logger(),
    "the guard below the controllers stopped the motors: %s. Zero volts, disarmed until "
    "the component is activated again.",
    guard_->explanation().c_str());
  return true;
}

FiveBarSystem::Return FiveBarSystem::write(const rclcpp::Time &, const rclcpp::Duration &)
{
  if (!armed_)
  {
    guard_->cool(elapsed_ns_);
    return Return::OK;
  }
  const Commands::Wanted wanted = commands_.take();
  Eigen::Vector2d volts = Eigen::Vector2d::Zero();
  bool good = wanted.was_read;
  if (obeys(wanted))
  {
    volts = volts_for(wanted);
    if (wanted.kind == CommandKind::effort && guard_stops(wanted, volts))
    {
      return compatibility::deactivate_hardware();
    }
    good = good && is_finite(volts);
  }
  if (wanted.kind == CommandKind::voltage)
  {
    guard_->cool(elapsed_ns_);  // whoever commands volts watches the motors' heat himself
  }
  volts_ = good ? limited(volts, wanted.kind) : Eigen::Vector2d(0.0, 0.0);
  const HardwareError error = hardware_->write(volts_);
  return tolerate(good ? error : HardwareError::bad_data, failed_writes_, "writes");
}

}  // namespace fivebar_control
