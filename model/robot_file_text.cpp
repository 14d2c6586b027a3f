// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/model/robot_file_text.hpp"

#include <fmt/core.h>

#include "fivebar_control/support/yaml_text.hpp"

namespace fivebar_control
{
namespace
{

std::string pair_text(const Eigen::Vector2d & value)
{
  return fmt::format("[{}, {}]", value[0], value[1]);
}

std::string motor_text(const char * name, const Motor<double> & m)
{
  return fmt::format(
    "  {}:\n    rotor_inertia: {}      # kg m^2\n    back_emf_constant: {}  # V s/rad\n"
    "    torque_constant: {}    # N m/A\n    resistance: {}         # ohm\n"
    "    damping: {}            # N m s/rad, of the rotor\n    gear_ratio: {}\n",
    name, m.rotor_inertia, m.back_emf_constant, m.torque_constant, m.resistance, m.damping,
    m.gear_ratio);
}

std::string friction_text(const char * name, const Friction<double> & f)
{
  return fmt::format(
    "  {}: {{viscous: {}, coulomb: {}, coulomb_velocity: {}}}   # N m s/rad, N m, rad/s\n", name,
    f.viscous, f.coulomb, f.coulomb_velocity);
}

/// Empty for ideal drives.
std::string drives_text(const Drives & drives)
{
  if (drives == Drives{})
  {
    return "";
  }
  std::string text =
    "\ndrives:   # N m/rad, N m s/rad, rad, N m, rad/s, s, V; what is not there is ideal\n";
  for (std::size_t i = 0; i < 2; ++i)
  {
    std::string values;
    visit_drive(drives[i], [&](const char * name, double value) {
      if (value != 0.0)
      {
        values += fmt::format("{}{}: {}", values.empty() ? "" : ", ", name, value);
      }
    });
    values +=
      drives[i].encoder_on_motor ? (values.empty() ? "encoder: motor" : ", encoder: motor") : "";
    text += fmt::format("  drive_{}: {{{}}}\n", i == 0 ? 1 : 4, values);
  }
  return text;
}

}  // namespace

std::string robot_file_text(const RobotParameters & robot, const std::string & comment)
{
  const Physics<double> & p = robot.physics;
  const Limits & limits = robot.limits;
  std::string text = prefixed_lines(comment, "# ");
  text += fmt::format(
    "schema: 1\nname: {}\n\ngravity: {}   # m/s^2, in the plane of the robot\n\npivots:   # m\n"
    "  o1: {}\n  o4: {}\n\nassembly_mode: {}\nhome: {{phi1: {}, phi4: {}}}   # rad\n\n"
    "links:   # m, kg, kg m^2 about the centre of mass\n",
    yaml_quoted(robot.name), pair_text(p.gravity), pair_text(p.pivot_1), pair_text(p.pivot_4),
    robot.assembly_mode == AssemblyMode::left ? "left" : "right", robot.home[0], robot.home[1]);
  for (std::size_t i = 0; i < 4; ++i)
  {
    const Link<double> & link = p.links[i];
    text += fmt::format(
      "  link_{}: {{length: {}, mass: {}, center: {}, inertia: {}}}\n", i + 1, link.length,
      link.mass, pair_text(link.center), link.inertia);
  }
  text += "\nmotors:\n" + motor_text("motor_1", p.motors[0]) + motor_text("motor_4", p.motors[1]) +
          "\nfriction:\n" + friction_text("joint_1", p.friction[0]) +
          friction_text("joint_4", p.friction[1]) + drives_text(robot.drives);
  text += fmt::format(
    "\nlimits:\n  voltage: {}   # V\n  voltage_rate: {}   # V/s\n  phi1: [{}, {}]   # rad\n"
    "  phi4: [{}, {}]   # rad\n  joint_speed: {}   # rad/s\n  singularity_margin: {}\n"
    "  serial_singularity_margin: {}\n",
    limits.voltage, limits.voltage_rate, limits.joint_minimum[0], limits.joint_maximum[0],
    limits.joint_minimum[1], limits.joint_maximum[1], limits.joint_speed, limits.singularity_margin,
    limits.serial_singularity_margin);
  return text;
}

}  // namespace fivebar_control
