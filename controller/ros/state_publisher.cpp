// SPDX-License-Identifier: Apache-2.0
#include "state_publisher.hpp"

#include "controller_messages.hpp"

namespace fivebar_control
{

StatePublisher::StatePublisher(
  const rclcpp_lifecycle::LifecycleNode::SharedPtr & node, std::shared_ptr<Handover> handover,
  const RobotModel & robot, const JointNames & joints, std::chrono::nanoseconds period)
: handover_(std::move(handover)),
  motors_{motor_effort(robot.physics().motors[0]), motor_effort(robot.physics().motors[1])},
  zero_angle_(joints.zero_angle),
  // Of rclcpp and not of the lifecycle node: the last message of a run goes out when the
  // controller is inactive already.
  state_publisher_(rclcpp::create_publisher<State>(*node, "~/state", rclcpp::SystemDefaultsQoS())),
  trajectory_publisher_(rclcpp::create_publisher<TrajectoryState>(
    *node, "~/controller_state", rclcpp::SystemDefaultsQoS()))
{
  trajectory_state_.joint_names = joints.names;
  for (auto * point :
       {&trajectory_state_.reference, &trajectory_state_.feedback, &trajectory_state_.error})
  {
    point->positions.resize(2);
    point->velocities.resize(2);
  }
  trajectory_state_.output.effort.resize(2);
  trajectory_state_.speed_scaling_factor = 1.0;
  thread_ = std::thread([this, period]() { work(period); });
}

StatePublisher::~StatePublisher()
{
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  leave_.notify_all();
  thread_.join();
  publish_waiting();
}

void StatePublisher::work(std::chrono::nanoseconds period)
{
  std::unique_lock lock(mutex_);
  while (!leave_.wait_for(lock, period, [this]() { return leaving_; }))
  {
    lock.unlock();
    publish_waiting();
    lock.lock();
  }
}

void StatePublisher::publish_waiting()
{
  while (const StateSample * sample = handover_->samples.front())
  {
    const rclcpp::Time stamp(sample->time_ns);
    state_.header.stamp = stamp;
    state_.velocity = as_array(sample->velocity);
    fill(state_, sample->output, sample->fault, sample->late_cycles);
    trajectory_state_.header.stamp = stamp;
    fill_trajectory_state(*sample);
    handover_->samples.pop();
    if (rclcpp::ok())
    {
      state_publisher_->publish(state_);
      trajectory_publisher_->publish(trajectory_state_);
    }
  }
}

void StatePublisher::fill_trajectory_state(const StateSample & sample)
{
  const ControlOutput & o = sample.output;
  // Where nothing is wanted, the robot is where it shall be.
  const bool wanted = o.state != ControlState::idle && o.state != ControlState::fault;
  const Eigen::Vector2d phi = wanted ? o.reference.phi : o.angle;
  const Eigen::Vector2d speed = wanted ? o.reference.speed : o.speed;
  for (int i = 0; i < 2; ++i)
  {
    const auto n = static_cast<std::size_t>(i);
    trajectory_state_.reference.positions[n] = phi[i] - zero_angle_[i];
    trajectory_state_.reference.velocities[n] = speed[i];
    trajectory_state_.feedback.positions[n] = o.angle[i] - zero_angle_[i];
    trajectory_state_.feedback.velocities[n] = o.speed[i];
    trajectory_state_.error.positions[n] = phi[i] - o.angle[i];
    trajectory_state_.error.velocities[n] = speed[i] - o.speed[i];
    trajectory_state_.output.effort[n] = motors_[n].torque(o.volts[i], o.speed[i]);
  }
  const auto time = rclcpp::Duration::from_seconds(o.plan_time);
  trajectory_state_.reference.time_from_start = time;
  trajectory_state_.feedback.time_from_start = time;
}

}  // namespace fivebar_control
