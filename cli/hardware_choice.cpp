// SPDX-License-Identifier: Apache-2.0
#include "hardware_choice.hpp"

#include <algorithm>
#include <cstdio>

#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control::cli
{
namespace
{

/// A file that nobody named must not say which code is loaded into this process.
void require_no_library(const std::string & path, const std::string & relative)
{
  const std::string word = taken_from_here(path, relative);
  if (word.empty())
  {
    return;
  }
  std::fprintf(stderr, "fivebar: %s\n", word.c_str());
  const YamlMap map = YamlMap::load(path);
  const auto hil = map.has("hil") ? map.optional_map("hil") : std::nullopt;
  if (hil && hil->has("library"))
  {
    hil->fail(
      "library",
      "a file of the current folder that nobody named does not choose a library to load; give it "
      "with --calibration if it is meant");
  }
}

}  // namespace

std::string hardware_choices()
{
  std::string names = backend_names;
  std::replace(names.begin(), names.end(), ',', '|');
  names.erase(std::remove(names.begin(), names.end(), ' '), names.end());
  return names;
}

std::string calibration_file(const std::string & hardware, const std::string & given)
{
  const std::string in_config = default_calibration(hardware);
  return in_config.empty() ? "" : given_or_config(given, in_config);
}

std::unique_ptr<MotorHardware> make_hardware(const RobotModel & robot, BackendChoice choice)
{
  const std::string in_config = default_calibration(choice.name);
  if (choice.calibration.empty() && !in_config.empty())
  {
    choice.calibration = find_config(in_config);
    require_no_library(choice.calibration, in_config);
  }
  return make_backend(robot, choice);
}

}  // namespace fivebar_control::cli
