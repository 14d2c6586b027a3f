// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "fivebar_control/model/pendulum_dynamics.hpp"
#include "fivebar_control/plan/verdict.hpp"

namespace fivebar_control
{

/// Volts with which the model brings the pendulum upright, and the motion that it makes of them.
struct BalancePlan
{
  std::string name;
  std::string fingerprint;  ///< of robot and pendulum
  std::string request;      ///< the file that it was made from, as canonical YAML
  double time_step = 0.0;   ///< s
  double bound = 0.0;       ///< V, of every volt, either way
  Verdict verdict = Verdict::stalled;
  int iterations = 0;  ///< of all stages
  double gradient = 0.0;
  std::size_t nodes_at_bound = 0;
  double cost = 0.0;            ///< J with its share of the volts
  double cost_published = 0.0;  ///< Maciąg's (5.8): without it
  std::vector<Eigen::Vector2d> volts;
  std::vector<PendulumState<double>> states;

  double duration() const { return time_step * static_cast<double>(volts.size() - 1); }
};

/// What the law is asked for in one cycle.
struct BalanceReference
{
  Eigen::Vector2d feedforward = Eigen::Vector2d::Zero();  ///< V
  PendulumState<double> state = PendulumState<double>::Zero();
};

/// Between nodes as the planner means it: volts linear, angles cubic Hermite with the speeds; 0 to
/// the plan's duration.
BalanceReference balance_reference(const BalancePlan & plan, double time);

/// Whole-or-nothing, sealed with a checksum; `package_version` and the rest stand in its header.
void save_balance_plan(
  const BalancePlan & plan, const PendulumConstants<double> & constants,
  const std::string & package_version, const std::string & path);

}  // namespace fivebar_control
