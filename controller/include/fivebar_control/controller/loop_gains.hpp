// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/plan/playable_plan.hpp"

namespace fivebar_control
{

/// What the gains along a plan are made for (docs/control.md, "Observer and gains along the plan").
struct LoopGainSettings
{
  double reading_noise = 4.428e-4;  ///< rad, standard deviation; rounding to 4096 counts
  double disturbance_rate = 0.02;   ///< V per cycle, by which the disturbance may wander
  double disturbance_limit = 0.5;   ///< V, of the estimate
  double volts_weight = 1e-5;       ///< m²/V², against the squared error of P
};

/// Gains of a Kalman filter with the input disturbance as a state, and of a linear-quadratic
/// regulator, for every control cycle of a plan. Immutable; made off the real-time path.
struct LoopGains
{
  double period = 0.0;                                ///< s
  std::vector<Eigen::Matrix<double, 2, 4>> feedback;  ///< V per (rad, rad, rad/s, rad/s)
  std::vector<Eigen::Matrix<double, 6, 2>> observer;  ///< of (state, disturbance) per rad

  std::size_t cycle(double plan_time) const;
};

LoopGains make_loop_gains(
  const RobotModel & robot, const PlayablePlan & plan, double period,
  const LoopGainSettings & settings = {});

}  // namespace fivebar_control
