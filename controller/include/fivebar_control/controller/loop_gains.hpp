// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "fivebar_control/controller/settings.hpp"
#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/plan/playable_plan.hpp"

namespace fivebar_control
{

/// One control cycle of a plan, to first order: what feedback.method mpc looks ahead with.
struct HorizonCycle
{
  Eigen::Matrix4d by_state;
  Eigen::Matrix<double, 4, 2> by_volts;
  Eigen::Matrix2d weight;       ///< m²/rad², squared error of P by the angles
  Eigen::Matrix4d value;        ///< cost to go of the regulator from the next cycle on
  Eigen::Vector2d feedforward;  ///< V
};

/// Gains of a Kalman filter with the input disturbance as a state, and of a linear-quadratic
/// regulator, for every control cycle of a plan. Immutable; made off the real-time path.
struct LoopGains
{
  double period = 0.0;                                ///< s
  std::vector<Eigen::Matrix<double, 2, 4>> feedback;  ///< V per (rad, rad, rad/s, rad/s)
  std::vector<Eigen::Matrix<double, 6, 2>> observer;  ///< of (state, disturbance) per rad

  std::vector<HorizonCycle> horizon;  ///< empty unless the method is mpc

  std::size_t cycle(double plan_time) const;
};

LoopGains make_loop_gains(
  const RobotModel & robot, const PlayablePlan & plan, double period,
  const LoopGainSettings & settings = {}, bool with_horizon = false);

/// The gains that these settings need for a plan; none if they need none.
std::optional<LoopGains> loop_gains_for(
  const RobotModel & robot, const ControllerSettings & settings, const PlayablePlan & plan,
  double period);
/// The one judgement of a plan before it is played. Throws InputError if it does not fit the robot
/// (require_plan_fits), or if it has learned and there is an observer, which does not know what: it
/// would make up once more for what the feedforward already does.
void require_plan_can_be_played(
  const Plan & plan, const RobotModel & robot, const ControllerSettings & settings,
  const std::string & name);

}  // namespace fivebar_control
