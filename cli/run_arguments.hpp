// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "fivebar_control/controller/settings.hpp"
#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/simulation/plant.hpp"

namespace fivebar_control::cli
{

/// Options that `run` and `compare` share.
struct RunArguments
{
  std::string robot;
  std::string controller;
  std::string plant;
  double rate = 1000.0;        ///< Hz
  double voltage_limit = 0.0;  ///< V; 0: the robot's
  double supply = 0.0;         ///< V; 0: the plant's

  std::int64_t period_ns() const;
};

void add_run_options(CLI::App & command, RunArguments & arguments);

// Each throws InputError with what was expected.
/// The files that these arguments mean, by what they are; those that nobody named and that lie in
/// ./config are told to the user, with what the guard does not watch.
std::vector<std::pair<std::string, std::string>> announce_files(
  const RunArguments & arguments, const std::string & calibration, const GuardSettings & guard);
RobotModel load_robot_for(const RunArguments & arguments);
ControllerSettings load_settings_for(const RunArguments & arguments);
PlantParameters load_plant_for(const RunArguments & arguments);

}  // namespace fivebar_control::cli
