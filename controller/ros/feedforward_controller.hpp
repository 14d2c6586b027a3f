// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <controller_interface/controller_interface.hpp>
#include <fivebar_control/feedforward_controller_parameters.hpp>
#include <fivebar_control/msg/controller_state.hpp>
#include <memory>
#include <optional>

#include "handover.hpp"
#include "plan_server.hpp"

namespace fivebar_control
{

/// ControlCore as a ros2_control controller: copies the state interfaces in, the volts and the
/// state message out. update() never waits, allocates or throws. A fault gives zero volts in the
/// same cycle and ERROR to the manager, which deactivates the controller; activating it anew is the
/// explicit reset.
class FeedforwardController : public controller_interface::ControllerInterface
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
  CallbackReturn on_cleanup(const rclcpp_lifecycle::State & before) override;
  CallbackReturn on_error(const rclcpp_lifecycle::State & before) override;

  Return update(const rclcpp::Time & time, const rclcpp::Duration & period) override;

private:
  using ControllerState = fivebar_control::msg::ControllerState;

  ControllerSettings settings() const;
  /// The manager's clock is not used: it follows the system's time or, in Gazebo, a topic.
  std::int64_t next_time() const;
  ControlInput sense();
  ControlCommand take_request();
  void follow_run(const ControlInput & input, const ControlOutput & output);
  void end_run(RunEnd ending, const Finding & finding, const Eigen::Vector2d & volts);
  RunNews news_of(const ControlOutput & output) const;
  void tell(const rclcpp::Time & time, const ControlOutput & output);
  bool apply(const Eigen::Vector2d & volts);

  std::shared_ptr<feedforward_controller::ParamListener> parameter_listener_;
  feedforward_controller::Params parameters_;
  std::int64_t period_ns_ = 0;
  std::int64_t publish_every_ = 0;  ///< cycles; 0: never
  std::int64_t tell_every_ = 0;     ///< cycles
  std::optional<RobotModel> robot_;
  std::shared_ptr<Handover> handover_;
  std::shared_ptr<PlanServer> server_;
  std::unique_ptr<realtime_tools::RealtimePublisher<ControllerState>> publisher_;

  // Of the real-time side.
  std::optional<ControlCore> core_;
  bool write_good_ = true;
  std::int64_t cycle_ = 0;
  std::uint64_t run_ = 0;
  bool running_ = false;
  bool stopping_ = false;
  std::int64_t run_start_ns_ = 0;
  std::optional<TrackingScorer> scorer_;
  Eigen::Vector2d zero_angle_ = Eigen::Vector2d::Zero();  ///< rad, where the hardware says zero
  bool simulated_time_ = false;             ///< one period per update, whatever clocks say
  std::int64_t time_ns_ = 0;                ///< of the last cycle
  std::optional<bool> board_is_simulated_;  ///< asked once per activation
  ControllerState message_;
};

}  // namespace fivebar_control
