// SPDX-License-Identifier: Apache-2.0
#include "hardware_choice.hpp"

#include <algorithm>

#include "fivebar_control/support/config_location.hpp"

namespace fivebar_control::cli
{

std::string hardware_choices()
{
  std::string names = backend_names;
  std::replace(names.begin(), names.end(), ',', '|');
  names.erase(std::remove(names.begin(), names.end(), ' '), names.end());
  return names;
}

std::unique_ptr<MotorHardware> make_hardware(const RobotModel & robot, BackendChoice choice)
{
  const std::string in_config = default_calibration(choice.name);
  if (choice.calibration.empty() && !in_config.empty())
  {
    choice.calibration = find_config(in_config);
  }
  return make_backend(robot, choice);
}

}  // namespace fivebar_control::cli
