// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <control_msgs/msg/joint_trajectory_controller_state.hpp>
#include <fivebar_control/msg/controller_state.hpp>
#include <memory>
#include <mutex>
#include <rclcpp_lifecycle/lifecycle_node.hpp>
#include <string>
#include <thread>

#include "fivebar_control/model/motor_effort.hpp"
#include "fivebar_control/model/robot_model.hpp"
#include "handover.hpp"
#include "trajectory_messages.hpp"

namespace fivebar_control
{

/// Publishes what the real-time side leaves in the Handover, from a thread of its own that looks
/// there by itself: waking it would cost the real-time side a system call. The same cycles go out
/// as
/// ~/state and, in the ecosystem's message, as ~/controller_state.
class StatePublisher
{
public:
  /// `period`: how often the thread looks.
  StatePublisher(
    const rclcpp_lifecycle::LifecycleNode::SharedPtr & node, std::shared_ptr<Handover> handover,
    const RobotModel & robot, const JointNames & joints, std::chrono::nanoseconds period);
  /// Publishes what is left.
  ~StatePublisher();

private:
  using State = fivebar_control::msg::ControllerState;
  using TrajectoryState = control_msgs::msg::JointTrajectoryControllerState;

  void work(std::chrono::nanoseconds period);
  void publish_waiting();
  void fill_trajectory_state(const StateSample & sample);

  std::shared_ptr<Handover> handover_;
  std::array<MotorEffort, 2> motors_;
  Eigen::Vector2d zero_angle_;
  rclcpp::Publisher<State>::SharedPtr state_publisher_;
  rclcpp::Publisher<TrajectoryState>::SharedPtr trajectory_publisher_;
  State state_;
  TrajectoryState trajectory_state_;

  std::mutex mutex_;
  std::condition_variable leave_;
  bool leaving_ = false;
  std::thread thread_;
};

}  // namespace fivebar_control
