// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/controller/settings.hpp"
#include "fivebar_control/hardware/board_player.hpp"
#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/plan/plan_samples.hpp"

namespace fivebar_control
{

/// Why a board cannot play with these settings, as a sentence; empty if it can.
std::string why_not_on_board(
  const ControllerSettings & settings, ControlMode mode, const PlanSamples & samples);

/// The program of a board that plays `samples` as ControlCore would. The hardware is open and
/// homed. `period_ns` is the board's.
BoardProgram make_board_program(
  const RobotModel & robot, const ControllerSettings & settings, ControlMode mode,
  const PlanSamples & samples, const MotorHardware & hardware, std::int64_t period_ns, bool align);

}  // namespace fivebar_control
