// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/plan/plan.hpp"
#include "fivebar_control/simulation/open_loop.hpp"

namespace fivebar_control
{

/// The motion under given voltages, at their times. Throws LeavesWorkspace, and
/// InputError if the steps would take hours.
PlanSamples respond(
  const RobotModel & robot, const Eigen::Vector4d & start, const VoltageHistory & input,
  const IntegrationOptions & options);

inline constexpr SealedKind response_kind{"response", "fivebar simulate", 2, 500'000'000};

/// Writes a response with the robot and the integrator that it comes from. Throws InputError.
void save_response(
  const RobotModel & robot, const IntegrationOptions & options, const PlanSamples & samples,
  const std::string & path);

}  // namespace fivebar_control
