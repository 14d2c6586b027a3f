// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <string>

#include "commands.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/planner/methods/robot_mechanism.hpp"
#include "fivebar_control/simulation/gazebo_description.hpp"
#include "fivebar_control/simulation/mjcf.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"
#include "output_file.hpp"

namespace fivebar_control::cli
{
namespace
{

struct DescribeArguments
{
  std::string format, out, robot, interface = "efforts";
  GazeboOptions gazebo;
};

/// Options that the format does not know would be silently without effect.
void require_options_of_format(const DescribeArguments & a)
{
  const auto only_for = [&](const char * option, const std::string & value, const char * format) {
    if (!value.empty() && a.format != format)
    {
      throw InputError(
        fmt::format("{} is for --format {}, not for --format {}", option, format, a.format));
    }
  };
  only_for("--controllers", a.gazebo.controllers_file, "urdf");
  only_for("--model", a.gazebo.model_file, "world");
  if (!a.gazebo.plant_file.empty() && a.format != "urdf" && a.format != "world")
  {
    throw InputError(fmt::format("--plant is for --format urdf and world, not for {}", a.format));
  }
}

void run_describe(DescribeArguments & a)
{
  require_options_of_format(a);
  a.gazebo.interface = a.interface == "volts" ? GazeboInterface::volts : GazeboInterface::efforts;
  a.gazebo.robot_file = a.robot.empty() ? "" : std::filesystem::absolute(a.robot).string();
  if (!a.gazebo.plant_file.empty())
  {
    a.gazebo.plant = load_plant(a.gazebo.plant_file);
    a.gazebo.plant_file = std::filesystem::absolute(a.gazebo.plant_file).string();
  }
  const RobotModel robot = load_robot(given_or_config(a.robot, "robot.yaml"));
  const std::string text = a.format == "mjcf"        ? mjcf_of(robot)
                           : a.format == "mechanism" ? mechanism_of(robot, sample_motion(robot))
                           : a.format == "urdf"      ? gazebo_urdf_of(robot, a.gazebo)
                                                     : gazebo_world_of(robot, a.gazebo);
  if (a.out.empty())
  {
    fmt::print("{}", text);
    return;
  }
  write_file_atomically(output_target(a.out), text);
}

}  // namespace

void add_describe(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<DescribeArguments>();
  CLI::App * command =
    app.add_subcommand("describe", "Write the robot as a model for MuJoCo, Gazebo or the engine");
  command->footer(
    "mjcf is for MuJoCo, with the loop closed and controls in volts. urdf is a tree for Gazebo,\n"
    "which closes the loop itself (docs/simulation.md). world is an SDF world for it. mechanism "
    "is\n"
    "for 'fivebar sensitivity', with the voltages of a short motion as parameters.\n"
    "With --plant the robot in Gazebo is the one of that plant file, not its model.\n\n"
    "Examples:\n"
    "  fivebar describe --format mjcf --out fivebar.xml\n"
    "  fivebar describe --format mechanism --out robot_mechanism.yaml\n"
    "  fivebar sensitivity robot_mechanism.yaml --method hamiltonian-absolute\n"
    "  fivebar describe --format urdf --plant plant.yaml --out fivebar.urdf\n"
    "  fivebar describe --format world --model fivebar.urdf --out world.sdf\n\n"
    "Exit codes: 0 done; 2 bad usage or bad file.");
  command->add_option("--format", a->format, "What to write")
    ->required()
    ->type_name("NAME")
    ->check(CLI::IsMember({"mjcf", "urdf", "world", "mechanism"}));
  add_output(*command, "--out", a->out, "Where to write it (default: standard output)");
  command->add_option("--robot", a->robot, robot_text)->type_name("FILE.yaml");
  command
    ->add_option(
      "--controllers", a->gazebo.controllers_file,
      "urdf: parameters of gz_ros2_control (default: no controllers)")
    ->type_name("FILE.yaml");
  command->add_option("--plant", a->gazebo.plant_file, "urdf, world: the robot as it truly is")
    ->type_name("FILE.yaml");
  command
    ->add_option(
      "--interface", a->interface,
      "urdf: what gz_ros2_control offers: efforts by its own plugin, or volts, encoders and the\n"
      "rest of the plant file by ours")
    ->type_name("NAME")
    ->capture_default_str()
    ->check(CLI::IsMember({"efforts", "volts"}));
  command
    ->add_option(
      "--model", a->gazebo.model_file,
      "world: the model that stands in it (default: none; it is spawned)")
    ->type_name("FILE.urdf");
  command->add_option("--step", a->gazebo.time_step, "world: step of the physics [s]")
    ->type_name("S")
    ->capture_default_str()
    ->check(CLI::Range(1e-6, 1e-2));
  command->callback([a, &exit_code] {
    run_describe(*a);
    exit_code = done;
  });
}

}  // namespace fivebar_control::cli
