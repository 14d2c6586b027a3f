// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "fivebar_control/planner/planner.hpp"

namespace fivebar_control::cli
{

/// What became of one curve file.
struct PlanOutcome
{
  std::optional<PlanResult> result;
  std::string error;        ///< a sentence; empty if there is a result
  std::string shortcoming;  ///< a sentence; empty if the plan does what it was asked for
  int code = 0;             ///< for the shell
  std::string plan_path;
  /// m² s, ISE of the robot with the drives of its file, before and after its feedforward knew
  /// them.
  std::optional<std::pair<double, double>> rehearsed;
};

/// Plans and writes the plan, unless 'fivebar run' would refuse its motion.
PlanOutcome plan_one(
  const RobotModel & robot, const PlanRequest & request, const std::string & out,
  const Progress & progress);

}  // namespace fivebar_control::cli
