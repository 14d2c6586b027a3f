// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <hardware_interface/system_interface.hpp>
#include <optional>

#include "fivebar_control/model/joint_states.hpp"
#include "fivebar_control/model/motor_effort.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/simulation/simulated_robot.hpp"

namespace fivebar_control::test
{

/// What gz_ros2_control offers in Gazebo, with our own equations behind it: efforts on the driven
/// joints, exact positions that are zero at home, back-EMF and friction in the simulator.
class EffortRobot : public hardware_interface::SystemInterface
{
public:
  using Return = hardware_interface::return_type;

  EffortRobot()
  : robot_(load_robot(FIVEBAR_SOURCE_DIR "/config/robot.yaml")),
    simulated_(robot_, {}, robot_.parameters().home, 1'000'000),
    home_(joint_states(robot_.kinematics(), robot_.parameters().home, Eigen::Vector2d::Zero()))
  {
  }

  CallbackReturn on_configure(const rclcpp_lifecycle::State &) override
  {
    simulated_.open();
    simulated_.arm();
    return CallbackReturn::SUCCESS;
  }

  Return read(const rclcpp::Time &, const rclcpp::Duration &) override
  {
    MotorSample sample;
    simulated_.read(sample);
    const Eigen::Vector4d state = simulated_.state();
    const JointStates joints = joint_states(robot_.kinematics(), state.head<2>(), state.tail<2>());
    for (std::size_t i = 0; i < 4; ++i)
    {
      set_state(names_[i] + "/position", joints.angle[i] - home_.angle[i]);
      set_state(names_[i] + "/velocity", joints.speed[i]);
    }
    return Return::OK;
  }

  Return write(const rclcpp::Time &, const rclcpp::Duration &) override
  {
    Eigen::Vector2d volts = Eigen::Vector2d::Zero();
    for (std::size_t i = 0; i < 2; ++i)
    {
      const double effort = get_command<double>(names_[i] + "/effort");
      const double effort_per_volt = motor_effort(robot_.physics().motors[i]).torque(1.0, 0.0);
      volts[i] = std::isfinite(effort) ? effort / effort_per_volt : 0.0;
    }
    return simulated_.write(volts) == HardwareError::none ? Return::OK : Return::ERROR;
  }

private:
  const std::array<std::string, 4> names_ = {"joint_1", "joint_4", "joint_2", "joint_3"};
  RobotModel robot_;
  SimulatedRobot simulated_;
  JointStates home_;
};

}  // namespace fivebar_control::test
