// SPDX-License-Identifier: Apache-2.0
#include "gazebo_motors.hpp"

#include <cmath>
#include <gz/sim/EntityComponentManager.hh>
#include <gz/sim/components/JointForceCmd.hh>
#include <gz/sim/components/JointPosition.hh>
#include <gz/sim/components/JointVelocity.hh>
#include <gz/sim/components/JointVelocityCmd.hh>
#include <limits>
#include <pluginlib/class_list_macros.hpp>

#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

namespace parts = gz::sim::components;

constexpr std::array<const char *, 4> joint_names{"joint_1", "joint_4", "joint_2", "joint_3"};
constexpr const char * board = "motor_board";

std::string parameter(const hardware_interface::HardwareInfo & info, const char * name)
{
  const auto found = info.hardware_parameters.find(name);
  return found == info.hardware_parameters.end() ? "" : found->second;
}

template <class Part>
double value_of(const gz::sim::EntityComponentManager & components, gz::sim::Entity joint)
{
  const auto * part = components.Component<Part>(joint);
  return part == nullptr || part->Data().empty() ? 0.0 : part->Data()[0];
}

}  // namespace

bool GazeboMotors::initSim(
  rclcpp::Node::SharedPtr & node, std::map<std::string, gz::sim::Entity> & joints,
  const hardware_interface::HardwareInfo & info, gz::sim::EntityComponentManager & components,
  unsigned int update_rate)
{
  nh_ = node;
  components_ = &components;
  try
  {
    for (std::size_t i = 0; i < joints_.size(); ++i)
    {
      const auto joint = joints.find(joint_names[i]);
      if (joint == joints.end())
      {
        throw InputError(std::string("the model in Gazebo has no joint ") + joint_names[i]);
      }
      joints_[i] = joint->second;
      components.CreateComponent(joint->second, parts::JointPosition());
      components.CreateComponent(joint->second, parts::JointVelocity());
    }
    robot_ = load_robot(given_or_config(parameter(info, "robot"), "robot.yaml"));
    const std::string plant = parameter(info, "plant");
    period_ = 1.0 / update_rate;
    plant_ = std::make_unique<OutsidePlant>(
      *robot_, plant.empty() ? PlantParameters{} : load_plant(plant), std::llround(1e9 * period_));
  }
  catch (const std::exception & error)
  {
    RCLCPP_FATAL(node->get_logger(), "%s", error.what());
    return false;
  }
  home_ = robot_->parameters().home;
  velocity_.emplace(VelocitySettings{}, period_);
  return true;
}

GazeboMotors::CallbackReturn GazeboMotors::on_configure(const rclcpp_lifecycle::State &)
{
  for (std::size_t i = 0; i < joint_names.size(); ++i)
  {
    angle_values_[i].find(std::string(joint_names[i]) + "/position", joint_states_);
    speed_values_[i].find(std::string(joint_names[i]) + "/velocity", joint_states_);
  }
  for (std::size_t i = 0; i < volt_values_.size(); ++i)
  {
    volt_values_[i].find(std::string(joint_names[i]) + "/voltage", joint_commands_);
  }
  const auto find = [this](StateValue & value, const char * name) {
    value.find(std::string(board) + "/" + name, gpio_states_);
  };
  find(sample_time_, "sample_time");
  find(status_, "status");
  find(simulated_, "simulated");
  find(armed_value_, "armed");
  find(arm_count_value_, "arm_count");
  simulated_.set(1.0);
  plant_->robot().open();
  encoder_ = plant_->robot().encoder();
  first_sample_ = true;
  return CallbackReturn::SUCCESS;
}

GazeboMotors::CallbackReturn GazeboMotors::on_activate(const rclcpp_lifecycle::State &)
{
  for (CommandValue & volts : volt_values_)
  {
    volts.set(std::numeric_limits<double>::quiet_NaN());
  }
  plant_->robot().arm();
  armed_ = true;
  ++arm_count_;
  return CallbackReturn::SUCCESS;
}

GazeboMotors::CallbackReturn GazeboMotors::on_deactivate(const rclcpp_lifecycle::State &)
{
  plant_->robot().disarm();
  armed_ = false;
  return CallbackReturn::SUCCESS;
}

GazeboMotors::Return GazeboMotors::perform_command_mode_switch(
  const std::vector<std::string> &, const std::vector<std::string> & stop_interfaces)
{
  for (const std::string & stopped : stop_interfaces)
  {
    for (std::size_t i = 0; i < volt_values_.size(); ++i)
    {
      if (stopped == std::string(joint_names[i]) + "/voltage")
      {
        volt_values_[i].set(std::numeric_limits<double>::quiet_NaN());
      }
    }
  }
  return Return::OK;
}

void GazeboMotors::show(const MotorSample & sample)
{
  const Eigen::Vector2d angle = encoder_.angle(sample);
  if (first_sample_)
  {
    velocity_->reset(angle);
  }
  else
  {
    velocity_->update(angle, period_);
  }
  first_sample_ = false;
  for (std::size_t i = 0; i < joints_.size(); ++i)
  {
    // Passive joints have no encoders: theirs are Gazebo's own.
    const auto motor = static_cast<Eigen::Index>(i);
    const bool driven = i < volt_values_.size();
    angle_values_[i].set(
      driven ? angle[motor] - home_[motor]
             : value_of<parts::JointPosition>(*components_, joints_[i]));
    speed_values_[i].set(
      driven ? velocity_->speed()[motor]
             : value_of<parts::JointVelocity>(*components_, joints_[i]));
  }
  sample_time_.set(static_cast<double>(sample.time_ns) * 1e-9);
  status_.set(static_cast<double>(sample.status));
  armed_value_.set(armed_ ? 1.0 : 0.0);
  arm_count_value_.set(arm_count_);
}

GazeboMotors::Return GazeboMotors::read(const rclcpp::Time &, const rclcpp::Duration &)
{
  Eigen::Vector4d state;
  for (int i = 0; i < 2; ++i)
  {
    const gz::sim::Entity joint = joints_[static_cast<std::size_t>(i)];
    state[i] = home_[i] + value_of<parts::JointPosition>(*components_, joint);
    state[i + 2] = value_of<parts::JointVelocity>(*components_, joint);
  }
  plant_->moved(state);
  MotorSample sample;
  if (plant_->robot().read(sample) == HardwareError::none)
  {
    show(sample);
  }
  return Return::OK;
}

/// What no controller commands is zero.
Eigen::Vector2d GazeboMotors::commanded() const
{
  Eigen::Vector2d volts = Eigen::Vector2d::Zero();
  for (std::size_t i = 0; i < volt_values_.size(); ++i)
  {
    const double wanted = volt_values_[i].get().value_or(0.0);
    volts[static_cast<Eigen::Index>(i)] = std::isfinite(wanted) ? wanted : 0.0;
  }
  return volts;
}

GazeboMotors::Return GazeboMotors::write(const rclcpp::Time &, const rclcpp::Duration &)
{
  const Eigen::Vector2d volts = commanded();
  if (armed_)
  {
    plant_->robot().write(volts);
    braked_ = braked_ && volts.isZero(0.0);
  }
  const Eigen::Vector2d torques = plant_->torques();
  for (std::size_t i = 0; i < volt_values_.size(); ++i)
  {
    // An effort takes precedence in Gazebo, so there is none while the brakes hold.
    if (braked_)
    {
      components_->SetComponentData<parts::JointVelocityCmd>(joints_[i], {0.0});
    }
    else
    {
      components_->SetComponentData<parts::JointForceCmd>(
        joints_[i], {torques[static_cast<Eigen::Index>(i)]});
    }
  }
  return Return::OK;
}

}  // namespace fivebar_control

PLUGINLIB_EXPORT_CLASS(fivebar_control::GazeboMotors, gz_ros2_control::GazeboSimSystemInterface)
