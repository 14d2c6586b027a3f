// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fivebar_control/controller/settings.hpp"
#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/simulation/plant.hpp"
#include "folder.hpp"

namespace fivebar_control
{

/// What all answers of a studio are about; nothing of it changes.
struct Desk
{
  RobotModel robot;
  ControllerSettings settings;
  Folder folder;
  /// Options that the user gave the studio and that every command line gets: "--robot FILE".
  std::vector<std::string> robot_options, controller_options;
};

/// What a page calls a plant: "" for the model itself, "shipped:NAME" for one of config/plants, or
/// a file of the folder. Throws InputError.
std::string plant_file(const Desk & desk, const std::string & plant);
PlantParameters studio_plant(const Desk & desk, const std::string & plant);

/// Words as a shell takes them.
std::string shell_line(const std::vector<std::string> & words);

/// What does the same at a terminal.
std::string command_line(
  const Desk & desk, std::vector<std::string> words, bool controller, const std::string & plant);

}  // namespace fivebar_control
