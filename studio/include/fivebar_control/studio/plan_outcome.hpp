// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "fivebar_control/planner/planner.hpp"

namespace fivebar_control
{

/// How planning one curve file ended; what the exit code of 'fivebar plan' says.
enum class PlanEnd
{
  done,
  refused,        ///< out of reach, or a motion that 'fivebar run' would refuse
  not_converged,  ///< or further from the curve than its accuracy
};

/// What became of one curve file.
struct PlanOutcome
{
  std::optional<PlanResult> result;
  std::string error;        ///< a sentence; empty if there is a result
  std::string shortcoming;  ///< a sentence; empty if the plan does what it was asked for
  PlanEnd end = PlanEnd::done;
  /// m² s, ISE of the robot with the drives of its file, before and after its feedforward knew
  /// them.
  std::optional<std::pair<double, double>> rehearsed;
};

/// Plans with any method. There is no result if 'fivebar run' would refuse the motion.
PlanOutcome plan_one(
  const RobotModel & robot, const PlanRequest & request, const Progress & progress);

}  // namespace fivebar_control
