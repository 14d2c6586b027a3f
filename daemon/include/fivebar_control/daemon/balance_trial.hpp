// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fivebar_control/controller/balancer.hpp"
#include "fivebar_control/simulation/pendulum_robot.hpp"

namespace fivebar_control
{

enum class PendulumEngineKind
{
  equations,
  mujoco,
};

/// In how far the simulated robot is not the model, and how it is started.
struct BalanceTrialSettings
{
  PendulumEngineKind engine = PendulumEngineKind::equations;
  double model_error = 0.1;  ///< share by which each parameter may be off, either way
  double start_error = 0.0;  ///< rad, by which the hand may be off in a1 and a2, either way
  double zero_error = 0.0;   ///< rad, by which each encoder's zero may be off, either way
  PendulumPlant plant;
  double period = 1e-3;       ///< s
  bool with_feedback = true;  ///< false: the volts of the plan alone
  std::uint64_t seed = 1;
  std::uint64_t number = 0;  ///< which of the trials of this seed
};

struct BalanceSample
{
  double time = 0.0;
  Eigen::Vector2d volts = Eigen::Vector2d::Zero();
  Eigen::Vector4d reading = Eigen::Vector4d::Zero();
  PendulumState<double> truth = PendulumState<double>::Zero();
  PendulumState<double> estimate = PendulumState<double>::Zero();
  PendulumState<double> reference = PendulumState<double>::Zero();
  Eigen::Vector2d disturbance = Eigen::Vector2d::Zero();
};

struct BalanceTrial
{
  bool stood = false;  ///< to the end of the hold, without a fault
  BalanceFinding finding;
  double time = 0.0;              ///< s since the start
  double largest_volts = 0.0;     ///< V
  double largest_tilt = 0.0;      ///< rad, of the truth
  double held_tilt = 0.0;         ///< rad, largest from 1 s after the plan on
  double held_distance = 0.0;     ///< m of P from home, likewise
  double largest_distance = 0.0;  ///< m
  std::string engine;
  std::vector<BalanceSample> samples;  ///< one per cycle, where asked for
};

/// Plays a plan on a simulated robot and holds the pendulum, as fast as it can. Throws InputError
/// where the engine is missing.
BalanceTrial try_balance(
  const RobotModel & robot, const PendulumParameters & pendulum, const BalancePlan & plan,
  const BalanceGains & gains, const BalanceSettings & settings, const BalanceTrialSettings & trial,
  bool with_samples);

/// Writes the samples, sealed with a checksum.
void save_balance_log(
  const BalanceTrial & trial, const PendulumConstants<double> & constants,
  const std::string & plan_name, const std::string & path);

}  // namespace fivebar_control
