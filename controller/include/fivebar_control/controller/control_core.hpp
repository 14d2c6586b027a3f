// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "fivebar_control/controller/control_state.hpp"
#include "fivebar_control/controller/cycle_clock.hpp"
#include "fivebar_control/controller/feedback.hpp"
#include "fivebar_control/controller/finding.hpp"
#include "fivebar_control/controller/guard.hpp"
#include "fivebar_control/controller/joint_move.hpp"
#include "fivebar_control/controller/output_guard.hpp"
#include "fivebar_control/controller/output_pipeline.hpp"
#include "fivebar_control/controller/plan_observer.hpp"
#include "fivebar_control/controller/plausibility.hpp"
#include "fivebar_control/controller/player.hpp"
#include "fivebar_control/controller/receding_horizon.hpp"
#include "fivebar_control/controller/velocity_estimator.hpp"

namespace fivebar_control
{

/// What one cycle knows.
struct ControlInput
{
  std::int64_t time_ns = 0;         ///< when the cycle began, on a clock that never goes back
  std::int64_t sample_time_ns = 0;  ///< when the angles were measured, on the same clock
  Eigen::Vector2d angle = Eigen::Vector2d::Zero();  ///< rad, (phi1, phi4)
  bool read_good = true;                            ///< false: the angles are not to be used
  bool write_good = true;                           ///< of the cycle before
  bool device_good = true;                          ///< false: the motor board reports a fault
  bool armed = true;           ///< false: the motor board does not drive, whatever is written
  std::int64_t arm_count = 0;  ///< how often it has been armed
  ControlCommand command = ControlCommand::none;
};

/// What one cycle decides, and all that a log wants to know about it.
struct ControlOutput
{
  Eigen::Vector2d volts = Eigen::Vector2d::Zero();     ///< to the motors, now
  Eigen::Vector2d feedback = Eigen::Vector2d::Zero();  ///< V, share of the feedback before limits
  Reference reference;
  Eigen::Vector2d angle = Eigen::Vector2d::Zero();  ///< rad, last good measurement
  Eigen::Vector2d speed = Eigen::Vector2d::Zero();  ///< rad/s, estimated
  double plan_time = 0.0;                           ///< s
  ControlState state = ControlState::idle;
  bool late = false;
  bool limited = false;  ///< slew or clamp changed the volts
  Finding refusal;       ///< of this cycle's command
};

/// Player, law, guard and state machine as one object that the daemon and the ros2_control plugin
/// drive alike: one update() per cycle. update() allocates nothing, takes no lock, makes no system
/// call and throws nothing, in any state. All calls come from one thread.
class ControlCore
{
public:
  /// Limits are the robot's. The model is not kept.
  ControlCore(
    const RobotModel & robot, const ControllerSettings & settings, ControlMode mode,
    std::int64_t period_ns);

  /// Takes effect at the next start. The caller keeps plan and gains alive. False unless idle, and
  /// where the settings need gains (ControllerSettings::needs_gains) and there are none.
  bool set_plan(const PlayablePlan * plan, const LoopGains * gains = nullptr);
  /// In the middle of a motion: when the plan that is playing is at `at_ns`, another one goes on
  /// from there; with a time beyond the plan's end, when the robot holds still there. The other one
  /// must begin with the reference of that moment. False, and nothing changes, if it does not, if
  /// that moment is over, or if nothing is playing. A stop makes it forgotten. The caller keeps
  /// both plans alive until plan() is the other one or the motion is over.
  bool go_on_with(const PlayablePlan * plan, const LoopGains * gains, std::int64_t at_ns);
  /// The one that is, was or will next be played; null if there was none.
  const PlayablePlan * plan() const { return plan_; }
  bool set_mode(ControlMode mode);
  /// New gains, limits and times, at any time. While the motors are driven the gains go over to the
  /// new ones in gain_change_time, so that the volts do not jump, and everything else waits until
  /// they are not. Methods stay as they are. `may_change` says what should be asked for.
  void change_settings(const ControllerSettings & settings);
  /// For feedback.method mpc: the clock by which a cycle's answer may come too late. None, the
  /// default, where time is simulated and waits.
  void set_clock(ReadClock clock) { horizon_.set_clock(clock); }

  ControlOutput update(const ControlInput & input) noexcept;

  ControlState state() const { return state_; }
  /// The latched fault; none outside the fault state.
  const Finding & fault() const { return fault_; }
  std::int64_t late_cycles() const { return late_cycles_; }
  /// Of feedback.method mpc: cycles in which a voltage limit was in the way of the horizon, and
  /// those in which it did not finish and the regulator answered.
  std::int64_t bounded_horizons() const { return bounded_horizons_; }
  std::int64_t unfinished_horizons() const { return unfinished_horizons_; }

private:
  Finding sense(const ControlInput & input);
  Finding check_arming(const ControlInput & input) const;
  void take_waiting_settings();
  Finding take_measurement(const ControlInput & input);
  Finding step_state(std::int64_t advance_ns);
  Finding step_alignment(std::int64_t advance_ns);
  void step_stop(std::int64_t advance_ns);
  void go_on();
  Finding obey(ControlCommand command, const ControlInput & input);
  Finding start(bool align, const ControlInput & input);
  void enter(ControlState state);
  void hold_from(Reference reference);
  Reference make_reference();
  Finding watch(const CycleTiming & timing, const Reference & reference);
  Finding drive(ControlOutput & output, std::int64_t advance_ns);
  void observe();
  bool along_plan() const { return state_ == ControlState::playing && gains_ != nullptr; }
  Eigen::Vector4d state_error(const Reference & reference) const;
  Eigen::Vector2d feedback_volts(const Reference & reference) const;
  Eigen::Vector2d looking_ahead(const Reference & reference, const Eigen::Vector2d & regulator);
  double share_of_period(std::int64_t advance_ns) const;
  void fall(const Finding & finding);
  bool is_driving() const { return state_ != ControlState::idle && state_ != ControlState::fault; }
  bool feedback_is_on() const;
  double time_in_state() const { return static_cast<double>(state_time_ns_) * 1e-9; }
  double stop_rate() const;
  Reference settling_reference(double time) const;

  // What it was made with.
  ControllerSettings settings_;
  ControlMode mode_;
  std::int64_t period_ns_;
  double period_;
  OutputLimits limits_;
  DynamicsConstants<double> model_;
  const PlayablePlan * plan_ = nullptr;
  const LoopGains * gains_ = nullptr;
  const PlayablePlan * next_plan_ = nullptr;  ///< goes on ...
  const LoopGains * next_gains_ = nullptr;
  std::int64_t next_at_ns_ = 0;  ///< ... at this time of the plan that is playing

  // Its organs.
  CycleClock clock_;
  VelocityEstimator velocity_;
  PlanObserver observer_;
  RecedingHorizon horizon_;
  Feedback feedback_;
  Guard guard_;
  Plausibility plausibility_;
  OutputGuard output_guard_;
  Player player_;
  JointMove alignment_;
  Settling settling_;

  // Its state.
  ControlState state_ = ControlState::idle;
  ControlState stopped_from_ = ControlState::playing;
  std::int64_t state_time_ns_ = 0;
  std::int64_t move_time_ns_ = 0;     ///< time along the alignment move
  std::int64_t settled_time_ns_ = 0;  ///< within the start tolerance after the move
  bool observing_ = false;            ///< along the plan that is playing
  Finding fault_;
  std::int64_t late_cycles_ = 0;
  std::int64_t arm_count_ = 0;  ///< of the board when the run began
  ControllerSettings waiting_;  ///< for the end of the run
  bool settings_wait_ = false;
  std::int64_t bounded_horizons_ = 0, unfinished_horizons_ = 0;

  // Last good measurement.
  bool has_measurement_ = false;
  bool fresh_ = false;  ///< measured in this cycle
  std::int64_t sample_time_ns_ = 0;
  double sample_interval_ = 0.0;  ///< s between the last two good measurements
  Eigen::Vector2d angle_ = Eigen::Vector2d::Zero();
  Eigen::Vector2d angle_before_ = Eigen::Vector2d::Zero();
  Eigen::Vector2d volts_ = Eigen::Vector2d::Zero();
  Eigen::Vector2d learned_acting_ = Eigen::Vector2d::Zero();  ///< V, part of volts_
};

}  // namespace fivebar_control
