// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fivebar_control/plan/balance_plan.hpp"
#include "fivebar_control/planner/balance_request.hpp"

namespace fivebar_control
{

struct BalanceStageReport
{
  Eigen::Vector2d tilt = Eigen::Vector2d::Zero();  ///< rad, a1 and a2 at the start
  double velocity_weight = 0.0;
  ShootingReport solver;
  double cost = 0.0;
  double seconds = 0.0;
};

struct BalanceResult
{
  BalancePlan plan;
  std::vector<BalanceStageReport> stages;
  std::vector<std::string> notes;  ///< sentences for the user
  double seconds = 0.0;
};

/// What is known of a plan's motion.
struct BalanceQuality
{
  double start_tilt = 0.0, largest_tilt = 0.0, end_tilt = 0.0;  ///< rad
  double largest_voltage = 0.0;                                 ///< V
  double largest_displacement = 0.0, end_displacement = 0.0;    ///< m, of P
  double end_speed = 0.0, end_turn = 0.0;  ///< m/s, rad/s, of the pendulum's centre
};
BalanceQuality quality_of(const PendulumConstants<double> & constants, const BalancePlan & plan);

/// Hears of every iteration of every stage; returns false to stop.
using BalanceProgress = std::function<bool(std::size_t stage, const ShootingIteration &)>;

/// Plans. Throws NotReachable where no motion within the volts was found, with the tilt that was
/// reached; a solver that does not converge is told by plan.verdict.
BalanceResult make_balance_plan(
  const RobotModel & robot, const BalanceRequest & request, const BalanceProgress & progress = {});

/// Throws NotReachable unless the motion keeps the robot's joint ranges, speeds and margins.
void require_balance_fits(const RobotModel & robot, const BalancePlan & plan);

/// Torques at the links that hold both driven joints where they are (Maciąg, section 5.5.2, where
/// they are reactions of driving constraints), and how the pendulum then moves.
struct HeldJoints
{
  Eigen::Vector2d torque;        ///< N m
  Eigen::Vector2d acceleration;  ///< rad/s², of a1 and a2
};
HeldJoints hold_joints(
  const PendulumConstants<double> & constants, const PendulumState<double> & state);

}  // namespace fivebar_control
