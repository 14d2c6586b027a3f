// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "fivebar_control/plan/balance_plan.hpp"

namespace fivebar_control
{

/// What observer and regulator of a pendulum are made for.
struct BalanceGainSettings
{
  double volts_weight = 1e-3;       ///< m²/V², against the squared errors of P and of the tip
  double reading_noise = 4.428e-4;  ///< rad, standard deviation; rounding to 4096 counts
  double disturbance_rate = 0.02;   ///< V per cycle, by which the disturbance may wander
  double disturbance_limit = 2.0;   ///< V, of the estimate
  double speed_noise = 0.02;        ///< rad/s per cycle, of the pendulum: what its model misses

  bool operator==(const BalanceGainSettings &) const = default;
};

using BalanceFeedback = Eigen::Matrix<double, 2, 8>;
using BalanceObserverGain = Eigen::Matrix<double, 10, 4>;

/// One control cycle of the plan.
struct BalanceCycle
{
  BalanceReference reference;
  BalanceFeedback feedback;      ///< V per (rad, rad/s)
  BalanceObserverGain observer;  ///< of (state, input disturbance) per rad
};

/// Gains along a plan and, in its last entry, those that hold the pendulum upright at home for
/// ever. Immutable; made off the real-time path. docs/pendulum.md has the equations.
struct BalanceGains
{
  double period = 0.0;  ///< s
  std::vector<BalanceCycle> cycles;
  BalanceCycle hold;
};

/// Throws NotReachable where no gains hold the pendulum: there is no gravity, or no torque.
BalanceGains make_balance_gains(
  const PendulumConstants<double> & constants, const Eigen::Vector2d & home,
  const BalancePlan & plan, double period, const BalanceGainSettings & settings = {});

/// The regulator of the upright pendulum alone.
BalanceFeedback hold_feedback(
  const PendulumConstants<double> & constants, const Eigen::Vector2d & home, double period,
  double volts_weight);

}  // namespace fivebar_control
