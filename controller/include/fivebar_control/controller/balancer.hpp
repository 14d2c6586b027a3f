// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>

#include "fivebar_control/controller/balance_gains.hpp"
#include "fivebar_control/controller/cycle_clock.hpp"
#include "fivebar_control/controller/guard.hpp"
#include "fivebar_control/controller/output_guard.hpp"
#include "fivebar_control/controller/output_pipeline.hpp"

namespace fivebar_control
{

struct BalanceSettings
{
  BalanceGainSettings gains;
  double tilt_limit = 0.7;        ///< rad; further over, the motors are left without volts
  double start_tolerance = 0.05;  ///< rad between each angle and the plan's start
  double hold_time = 10.0;        ///< s upright after the plan
  GuardSettings guard;
};

enum class BalanceState
{
  idle,      ///< zero volts
  playing,   ///< the plan
  holding,   ///< upright, at home
  finished,  ///< held for as long as was asked; zero volts
  fault,     ///< zero volts, until reset
};

/// Why the balancer refused to start or gave up. Linkage, encoders of the links and motors have the
/// guard of every run; the pendulum has rows of its own.
struct BalanceFinding
{
  enum class Kind
  {
    none,
    linkage,           ///< `finding` says what
    not_at_start,      ///< an angle is further from the plan's start than allowed
    pendulum_over,     ///< further from upright than tilt_limit
    pendulum_encoder,  ///< not finite, or faster than any motion
  };
  Kind kind = Kind::none;
  Finding finding;
  int angle = -1;  ///< which of phi1, phi4, a1, a2; -1: none
  double value = 0.0;
  double limit = 0.0;

  explicit operator bool() const { return kind != Kind::none; }
};

/// "pendulum_over" and the like; stable, part of the JSON output.
const char * to_string(const BalanceFinding & finding);
std::string describe(const BalanceFinding & finding);
const char * to_string(BalanceState state);

/// Plays a plan that brings a pendulum upright, and holds it there: time-varying feedback around
/// the plan, an observer with an input disturbance, and a guard. One call per cycle; it allocates
/// nothing, takes no lock, makes no system call and throws nothing.
class Balancer
{
public:
  Balancer(
    const RobotModel & robot, const PendulumParameters & pendulum, BalanceGains gains,
    const BalanceSettings & settings);

  /// In the next update. Refused while not idle or with a fault.
  void request_start() noexcept { start_requested_ = true; }
  void reset() noexcept;

  /// `angle`: phi1, phi4, a1, a2 as read now, if `fresh`. Returns the volts to be applied until the
  /// next call.
  Eigen::Vector2d update(const Eigen::Vector4d & angle, bool fresh, std::int64_t time_ns) noexcept;

  BalanceState state() const { return state_; }
  const BalanceFinding & finding() const { return finding_; }
  const PendulumState<double> & estimate() const { return estimate_; }
  const Eigen::Vector2d & disturbance() const { return disturbance_; }
  BalanceReference reference() const { return cycle().reference; }
  /// s since the start.
  double time() const { return static_cast<double>(cycle_) * gains_.period; }
  std::int64_t late_cycles() const { return late_; }

private:
  const BalanceCycle & cycle() const;
  bool drives() const { return state_ == BalanceState::playing || state_ == BalanceState::holding; }
  BalanceFinding check_readings(const Eigen::Vector4d & angle, bool fresh, double elapsed) noexcept;
  BalanceFinding check_motion(bool fresh, const CycleTiming & timing) noexcept;
  BalanceFinding find_start_defect() const noexcept;
  void start() noexcept;
  void observe(bool fresh) noexcept;
  Eigen::Vector2d law(double elapsed) noexcept;
  void fail(const BalanceFinding & finding) noexcept;
  Eigen::Vector2d go_on(bool fresh, const CycleTiming & timing) noexcept;

  PendulumConstants<double> constants_;
  BalanceGains gains_;
  BalanceSettings settings_;
  Guard guard_;
  OutputGuard output_guard_;
  CycleClock clock_;
  OutputLimits limits_;
  BalanceState state_ = BalanceState::idle;
  BalanceFinding finding_;
  bool start_requested_ = false;
  bool measured_ = false;
  std::int64_t late_ = 0;
  std::size_t cycle_ = 0;
  std::size_t last_cycle_;
  Eigen::Vector4d angle_ = Eigen::Vector4d::Zero();
  Eigen::Vector4d angle_before_ = Eigen::Vector4d::Zero();
  double unread_ = 0.0;  ///< s since the last fresh reading
  PendulumState<double> estimate_ = PendulumState<double>::Zero();
  Eigen::Vector2d disturbance_ = Eigen::Vector2d::Zero();
  Eigen::Vector2d volts_ = Eigen::Vector2d::Zero();
};

}  // namespace fivebar_control
