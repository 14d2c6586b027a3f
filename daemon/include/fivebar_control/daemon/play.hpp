// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "fivebar_control/daemon/experiment.hpp"
#include "fivebar_control/plan/plan.hpp"
#include "fivebar_control/runs/run_record.hpp"

namespace fivebar_control
{

/// "feedforward+pd", "pd", "feedforward".
std::optional<ControlMode> control_mode_named(const std::string & name);

/// How a plan is played on a simulated robot.
struct PlaySettings
{
  ControlMode mode = ControlMode::feedforward_and_feedback;
  ControllerSettings controller;
  PlantParameters plant;
  EngineMaker engine = make_equations_engine;
  double rate = 1000.0;  ///< Hz, 50 to 20000
  std::string log;       ///< file; empty: none is written
};

/// One run as fast as it goes, kept in memory. The log is the one of `fivebar run --fast --log`, to
/// the last bit. Throws InputError unless the plan fits the robot; `name` stands for the plan.
RunRecord play(
  const RobotModel & robot, const Plan & plan, const std::string & name,
  const PlaySettings & settings);

}  // namespace fivebar_control
