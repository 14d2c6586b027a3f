// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "fivebar_control/model/pendulum.hpp"
#include "fivebar_control/planner/balance_problem.hpp"
#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control
{

/// From where, and with what weights: one optimisation that begins with the volts of the one
/// before.
struct BalanceStage
{
  Eigen::Vector2d tilt = Eigen::Vector2d::Zero();  ///< rad, a1 and a2
  BalanceWeights weights;
};

enum class BalanceGuess
{
  /// From the upright pendulum, where no volts are the optimum, in growing tilts to the one that is
  /// asked for; the gains of each optimum lead to the next.
  upright,
  zero,  ///< from zero volts, as published
};

/// What a file asks for: the last stage is the plan.
struct BalanceRequest
{
  std::string name;
  std::string robot;  ///< file, relative to the request's; empty: config/robot.yaml
  PendulumParameters pendulum;
  double duration = 1.5;                                   ///< s
  double time_step = 0.005;                                ///< s
  double bound = std::numeric_limits<double>::infinity();  ///< V, of every volt, either way
  bool bound_by_robot = true;                              ///< the robot's limit instead
  BalanceGuess guess = BalanceGuess::upright;
  std::vector<BalanceStage> stages;
  std::string text;  ///< canonical YAML

  std::size_t intervals() const;
};

/// Reads the keys of the plan; `control` is the controller's affair. Throws InputError with file,
/// line, column and key.
BalanceRequest read_balance_request(const YamlMap & map);

}  // namespace fivebar_control
