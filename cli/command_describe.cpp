// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <memory>
#include <string>

#include "commands.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/planner/methods/robot_mechanism.hpp"
#include "fivebar_control/simulation/gazebo_description.hpp"
#include "fivebar_control/simulation/mjcf.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "output_file.hpp"

namespace fivebar_control::cli
{
namespace
{

struct DescribeArguments
{
  std::string format, out, robot;
  GazeboOptions gazebo;
};

void run_describe(const DescribeArguments & a)
{
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
    "for 'fivebar sensitivity', with the voltages of a short motion as parameters.\n\n"
    "Examples:\n"
    "  fivebar describe --format mjcf --out fivebar.xml\n"
    "  fivebar describe --format mechanism --out robot_mechanism.yaml\n"
    "  fivebar sensitivity robot_mechanism.yaml --method hamiltonian-absolute\n\n"
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
