#include <memory>
#include <string>

#include "commands.hpp"
#include "config_location.hpp"
#include "fivebar_control/hardware/gazebo_description.hpp"
#include "fivebar_control/hardware/mjcf.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/support/atomic_file.hpp"

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
  const std::string text = a.format == "mjcf"   ? mjcf_of(robot)
                           : a.format == "urdf" ? gazebo_urdf_of(robot, a.gazebo)
                                                : gazebo_world_of(robot, a.gazebo);
  write_file_atomically(a.out, text);
}

}  // namespace

void add_describe(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<DescribeArguments>();
  CLI::App * command =
    app.add_subcommand("describe", "Writes the robot as a model for another simulator.");
  command->footer(
    "mjcf: for MuJoCo, with the loop closed, controls in volts. urdf: tree for Gazebo, which "
    "closes\n"
    "the loop itself (docs/simulation.md). world: an SDF world for it.\n\n"
    "Example:\n"
    "  fivebar describe --format mjcf --out fivebar.xml\n\n"
    "Exit codes: 0 done; 2 bad usage or bad file.");
  command->add_option("--format", a->format, "what to write")
    ->required()
    ->type_name("NAME")
    ->check(CLI::IsMember({"mjcf", "urdf", "world"}));
  command->add_option("--out", a->out, "where to")->required()->type_name("FILE");
  command->add_option("--robot", a->robot, "robot file (default: robot.yaml of the package)")
    ->type_name("FILE.yaml");
  command
    ->add_option(
      "--controllers", a->gazebo.controllers_file,
      "urdf: parameters of gz_ros2_control (default: no controllers)")
    ->type_name("FILE.yaml");
  command->add_option("--step", a->gazebo.time_step, "world: step of the physics [s]")
    ->type_name("SECONDS")
    ->capture_default_str()
    ->check(CLI::Range(1e-6, 1e-2));
  command->callback([a, &exit_code] {
    run_describe(*a);
    exit_code = done;
  });
}

}  // namespace fivebar_control::cli
