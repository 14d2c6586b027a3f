// SPDX-License-Identifier: Apache-2.0
#include "run_arguments.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <cstdio>

#include "fivebar_control/controller/guard_reach.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/support/config_location.hpp"

namespace fivebar_control::cli
{
namespace
{

std::function<std::string(std::string &)> number_between(double low, double high, const char * unit)
{
  return [low, high, unit](std::string & text) -> std::string {
    double value = 0.0;
    const char * end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    const bool good = error == std::errc() && stop == end && value >= low && value <= high;
    return good
             ? std::string()
             : fmt::format("expected a number from {} to {} {}, got '{}'", low, high, unit, text);
  };
}

}  // namespace

std::int64_t RunArguments::period_ns() const
{
  return static_cast<std::int64_t>(std::llround(1e9 / rate));
}

void add_run_options(CLI::App & command, RunArguments & arguments)
{
  command.add_option("--robot", arguments.robot, robot_text)->type_name("FILE.yaml");
  command.add_option("--controller", arguments.controller, controller_text)->type_name("FILE.yaml");
  command
    .add_option(
      "--plant", arguments.plant,
      "How the simulated robot differs from the model (default: not at all)")
    ->type_name("FILE.yaml");
  command.add_option("--rate", arguments.rate, "Control cycles per second [Hz]; from 50 to 20000")
    ->type_name("HZ")
    ->capture_default_str()
    ->check(CLI::Validator(number_between(50.0, 20000.0, "Hz"), "", "rate"));
  command
    .add_option(
      "--voltage-limit", arguments.voltage_limit,
      "Clamp the voltages here [V] (default: the robot's limit)")
    ->type_name("V")
    ->check(CLI::Validator(number_between(0.1, 100.0, "V"), "", "volts"));
  command
    .add_option(
      "--supply", arguments.supply, "Supply of the simulated amplifier [V] (default: the plant's)")
    ->type_name("V")
    ->check(CLI::Validator(number_between(0.1, 100.0, "V"), "", "volts"));
}

std::vector<std::pair<std::string, std::string>> announce_files(
  const RunArguments & arguments, const std::string & calibration, const GuardSettings & guard)
{
  std::vector<std::pair<std::string, std::string>> files;
  const auto add = [&files](const char * kind, const std::string & given, const char * relative) {
    const std::string path = given_or_config(given, relative);
    files.emplace_back(kind, path);
    const std::string word = given.empty() ? taken_from_here(path, relative) : "";
    if (!word.empty())
    {
      std::fprintf(stderr, "fivebar: %s\n", word.c_str());
    }
  };
  add("robot", arguments.robot, "robot.yaml");
  add("controller", arguments.controller, "controller.yaml");
  for (const auto & [kind, path] :
       {std::pair("plant", arguments.plant), std::pair("calibration", calibration)})
  {
    if (!path.empty())
    {
      files.emplace_back(kind, path);
    }
  }
  for (const std::string & name : switched_off_names(guard))
  {
    std::fprintf(
      stderr, "fivebar: WARNING: the guard does not watch for %s: the controller file says so\n",
      name.c_str());
  }
  return files;
}

RobotModel load_robot_for(const RunArguments & arguments)
{
  RobotModel robot = load_robot(given_or_config(arguments.robot, "robot.yaml"));
  if (arguments.voltage_limit <= 0.0)
  {
    return robot;
  }
  RobotParameters parameters = robot.parameters();
  parameters.limits.voltage = arguments.voltage_limit;
  return RobotModel(std::move(parameters));
}

ControllerSettings load_settings_for(const RunArguments & arguments)
{
  const std::string file = given_or_config(arguments.controller, "controller.yaml");
  ControllerSettings settings = load_controller_settings(file);
  // By the robot's own limit: a lower one for a careful first run takes nothing away.
  require_guard_can_act(
    settings.guard, load_robot(given_or_config(arguments.robot, "robot.yaml")), file);
  return settings;
}

PlantParameters load_plant_for(const RunArguments & arguments)
{
  PlantParameters plant = arguments.plant.empty() ? PlantParameters{} : load_plant(arguments.plant);
  if (arguments.supply > 0.0)
  {
    plant.supply_voltage = arguments.supply;
  }
  return plant;
}

}  // namespace fivebar_control::cli
