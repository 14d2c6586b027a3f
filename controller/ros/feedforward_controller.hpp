// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <controller_interface/controller_interface.hpp>
#include <fivebar_control/feedforward_controller_parameters.hpp>
#include <memory>
#include <optional>

#include "handover.hpp"

namespace fivebar_control
{

class LiveParameters;
class PlanServer;
class RunDesk;
class StatePublisher;
class TrajectoryServer;

/// What shows in the introspection of ros2_control; numbers, because that is all it knows.
struct Watched
{
  double state = 0.0;
  double fault = 0.0;
  double plan_time = 0.0;  ///< s
  double late_cycles = 0.0;
  Eigen::Vector2d error = Eigen::Vector2d::Zero();        ///< rad
  Eigen::Vector2d feedforward = Eigen::Vector2d::Zero();  ///< V
  Eigen::Vector2d feedback = Eigen::Vector2d::Zero();     ///< V
  Eigen::Vector2d applied = Eigen::Vector2d::Zero();      ///< V
};

/// ControlCore as a ros2_control controller: copies the state interfaces in, the volts and the
/// state out. update() never waits, allocates or throws. A fault gives zero volts in the same cycle
/// and ERROR to the manager, which deactivates the controller; activating it anew is the explicit
/// reset.
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
  // Outside the loop.
  void make_servers(unsigned int rate);
  void start_monitor();
  void register_watched();

  // In the loop.
  /// The manager's clock is not used: it follows the system's time or, in Gazebo, a topic.
  std::int64_t next_time() const;
  ControlInput sense();
  void sense_board(ControlInput & input);
  ControlCommand take_request();
  void take_over(const RunRequest & request);
  void begin_run(const RunRequest & request);
  void change_over(const ControlOutput & output);
  void tell_missed(std::uint64_t run);
  void forget_next();
  void follow_run(const ControlInput & input, const ControlOutput & output);
  void end_run(RunEnd ending, const Finding & finding, const ControlOutput & output);
  RunNews news_of(const ControlOutput & output) const;
  void tell(const ControlOutput & output);
  void show(const ControlOutput & output);
  bool apply(const Eigen::Vector2d & volts);

  std::shared_ptr<feedforward_controller::ParamListener> parameter_listener_;
  feedforward_controller::Params parameters_;
  std::int64_t period_ns_ = 0;
  std::int64_t publish_every_ = 0;  ///< cycles; 0: never
  std::int64_t tell_every_ = 0;     ///< cycles
  std::optional<RobotModel> robot_;
  std::optional<RobotModel> driven_robot_;  ///< the same with the limit of this controller
  std::shared_ptr<Handover> handover_;
  std::shared_ptr<LiveParameters> live_;
  std::shared_ptr<RunDesk> desk_;
  std::shared_ptr<PlanServer> plan_server_;
  std::shared_ptr<TrajectoryServer> trajectory_server_;
  std::shared_ptr<StatePublisher> publisher_;
  rclcpp::TimerBase::SharedPtr monitor_;

  // Of the real-time side.
  std::optional<ControlCore> core_;
  bool write_good_ = true;
  std::int64_t cycle_ = 0;
  std::uint64_t run_ = 0;
  bool running_ = false;
  bool stopping_ = false;
  std::int64_t run_start_ns_ = 0;
  std::optional<RunRequest> next_;  ///< goes on from the run that is running
  std::optional<TrackingScorer> scorer_;
  ToleranceWatch tolerance_;
  ToleranceVerdict verdict_ = ToleranceVerdict::kept;
  Eigen::Vector2d zero_angle_ = Eigen::Vector2d::Zero();  ///< rad, where the hardware says zero
  bool simulated_time_ = false;             ///< one period per update, whatever clocks say
  std::int64_t time_ns_ = 0;                ///< of the last cycle
  std::int64_t stamp_ns_ = 0;               ///< of the last cycle, on the manager's clock
  std::optional<bool> board_is_simulated_;  ///< asked once per activation
  bool armed_ = true;                       ///< last known
  std::int64_t arm_count_ = 0;              ///< last known
  ControlOutput last_;
  Watched watched_;
};

}  // namespace fivebar_control
