#pragma once

#include "fivebar_control/model/simulation.hpp"
#include "fivebar_control/planner/plan.hpp"

namespace fivebar_control
{

/// The motion under given voltages, at their times. Throws LinkageCannotClose, and
/// std::invalid_argument with a sentence if the steps would take hours.
PlanSamples respond(
  const RobotModel & robot, const Eigen::Vector4d & start, const VoltageHistory & input,
  const IntegrationOptions & options);

}  // namespace fivebar_control
