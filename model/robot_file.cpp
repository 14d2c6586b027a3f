// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/model/robot_file.hpp"

#include <fmt/core.h>

namespace fivebar_control
{
namespace
{

constexpr int schema_version = 1;

Eigen::Vector2d point(const YamlMap & map, const std::string & key, const std::string & unit)
{
  const std::vector<double> values = map.numbers(key, 2, any_number(unit));
  return {values[0], values[1]};
}

Link<double> read_link(const YamlMap & map)
{
  map.allow_only({"length", "mass", "center", "inertia"});
  Link<double> link;
  link.length = map.number("length", positive("m"));
  link.mass = map.number("mass", positive("kg"));
  link.inertia = map.number("inertia", positive("kg m^2"));
  // Most links are straight: one number is the distance along the link.
  link.center = map.is_list("center") ? point(map, "center", "m")
                                      : Eigen::Vector2d(map.number("center", any_number("m")), 0.0);
  return link;
}

Motor<double> read_motor(const YamlMap & map)
{
  map.allow_only(
    {"rotor_inertia", "back_emf_constant", "torque_constant", "resistance", "damping",
     "gear_ratio"});
  Motor<double> motor;
  motor.rotor_inertia = map.number("rotor_inertia", not_negative("kg m^2"));
  motor.back_emf_constant = map.number("back_emf_constant", not_negative("V s/rad"));
  motor.torque_constant = map.number("torque_constant", positive("N m/A"));
  motor.resistance = map.number("resistance", positive("ohm"));
  motor.damping = map.number("damping", not_negative("N m s/rad"));
  motor.gear_ratio = map.number("gear_ratio", positive("rotor turns per link turn"));
  return motor;
}

Friction<double> read_friction(const YamlMap & map)
{
  map.allow_only({"viscous", "coulomb", "coulomb_velocity"});
  Friction<double> friction;
  friction.viscous = map.number_or("viscous", not_negative("N m s/rad"), 0.0);
  friction.coulomb = map.number_or("coulomb", not_negative("N m"), 0.0);
  friction.coulomb_velocity = map.number_or("coulomb_velocity", positive("rad/s"), 1e-3);
  return friction;
}

Drive read_drive(const YamlMap & map)
{
  Drive drive;
  std::vector<std::string> keys{"encoder"};
  visit_drive(drive, [&](const char * name, double &) { keys.emplace_back(name); });
  map.allow_only(keys);
  const auto read = [&](const char * key, const NumberRule & rule, double & value) {
    value = map.number_or(key, rule, 0.0);
  };
  read("stiffness", not_negative("N m/rad"), drive.stiffness);
  read("damping", not_negative("N m s/rad"), drive.damping);
  read("gap", between(0.0, 0.1, "rad"), drive.gap);
  read("stribeck", not_negative("N m"), drive.stribeck);
  read("stribeck_velocity", not_negative("rad/s"), drive.stribeck_velocity);
  read("lag", between(0.0, 0.1, "s"), drive.lag);
  read("dead_band", between(0.0, 10.0, "V"), drive.dead_band);
  drive.encoder_on_motor = map.has("encoder") && map.choice("encoder", {"link", "motor"}) == 1;
  return drive;
}

Drives read_drives(const YamlMap & map)
{
  map.allow_only({"drive_1", "drive_4"});
  Drives drives;
  if (const auto drive = map.optional_map("drive_1"))
  {
    drives[0] = read_drive(*drive);
  }
  if (const auto drive = map.optional_map("drive_4"))
  {
    drives[1] = read_drive(*drive);
  }
  return drives;
}

void read_range(const YamlMap & map, const std::string & key, std::size_t i, Limits & limits)
{
  const std::vector<double> range = map.numbers(key, 2, any_number("rad"));
  limits.joint_minimum[i] = range[0];
  limits.joint_maximum[i] = range[1];
}

/// A limit beyond all robots is none.
double real_limit(
  const YamlMap & map, const std::string & key, const std::string & unit, double largest)
{
  const double value = map.number(key, positive(unit));
  if (value > largest)
  {
    map.fail(key, fmt::format("{} {} limits nothing, expected at most {}", value, unit, largest));
  }
  return value;
}

Limits read_limits(const YamlMap & map)
{
  map.allow_only(
    {"voltage", "voltage_rate", "phi1", "phi4", "joint_speed", "singularity_margin",
     "serial_singularity_margin"});
  Limits limits;
  limits.voltage = real_limit(map, "voltage", "V", 1000.0);
  limits.voltage_rate = real_limit(map, "voltage_rate", "V/s", 1e8);
  read_range(map, "phi1", 0, limits);
  read_range(map, "phi4", 1, limits);
  limits.joint_speed = real_limit(map, "joint_speed", "rad/s", 1000.0);
  limits.singularity_margin = map.number("singularity_margin", between(0.0, 1.0, "|sin|"));
  limits.serial_singularity_margin =
    map.number_or("serial_singularity_margin", between(0.0, 1.0, "|sin|"), 0.0);
  return limits;
}

Physics<double> read_physics(const YamlMap & map)
{
  Physics<double> physics;
  physics.gravity = map.has("gravity") ? point(map, "gravity", "m/s^2") : Eigen::Vector2d(0.0, 0.0);
  const YamlMap pivots = map.map("pivots");
  pivots.allow_only({"o1", "o4"});
  physics.pivot_1 = point(pivots, "o1", "m");
  physics.pivot_4 = point(pivots, "o4", "m");

  const YamlMap links = map.map("links");
  links.allow_only({"link_1", "link_2", "link_3", "link_4"});
  for (std::size_t i = 0; i < 4; ++i)
  {
    physics.links[i] = read_link(links.map("link_" + std::to_string(i + 1)));
  }
  const YamlMap motors = map.map("motors");
  motors.allow_only({"motor_1", "motor_4"});
  physics.motors = {read_motor(motors.map("motor_1")), read_motor(motors.map("motor_4"))};

  for (Friction<double> & friction : physics.friction)
  {
    friction.coulomb_velocity = 1e-3;
  }
  if (const auto friction = map.optional_map("friction"))
  {
    friction->allow_only({"joint_1", "joint_4"});
    if (const auto joint = friction->optional_map("joint_1"))
    {
      physics.friction[0] = read_friction(*joint);
    }
    if (const auto joint = friction->optional_map("joint_4"))
    {
      physics.friction[1] = read_friction(*joint);
    }
  }
  return physics;
}

void require_no_defect(const RobotParameters & parameters, const YamlMap & map)
{
  const ParameterDefect defect = find_defect(parameters);
  if (!defect.message.empty())
  {
    const std::size_t dot = defect.key.find('.');
    const std::string top = defect.key.substr(0, dot);
    const FileLocation where = dot == std::string::npos
                                 ? map.location(top)
                                 : map.map(top).location(defect.key.substr(dot + 1));
    throw InputError(where, "key '" + defect.key + "': " + defect.message);
  }
}

RobotModel read_robot(const YamlMap & map)
{
  map.allow_only(
    {"schema", "name", "gravity", "pivots", "assembly_mode", "home", "links", "motors", "friction",
     "drives", "limits"});
  const int schema = map.integer("schema", 1, 1000);
  if (schema > schema_version)
  {
    map.fail(
      "schema", "this program reads robot files up to schema " + std::to_string(schema_version) +
                  ", the file has schema " + std::to_string(schema));
  }
  RobotParameters parameters;
  parameters.name = map.text_or("name", "unnamed");
  parameters.physics = read_physics(map);
  if (const auto drives = map.optional_map("drives"))
  {
    parameters.drives = read_drives(*drives);
  }
  parameters.assembly_mode =
    map.choice("assembly_mode", {"left", "right"}) == 0 ? AssemblyMode::left : AssemblyMode::right;
  const YamlMap home = map.map("home");
  home.allow_only({"phi1", "phi4"});
  parameters.home = {
    home.number("phi1", any_number("rad")), home.number("phi4", any_number("rad"))};

  parameters.limits = read_limits(map.map("limits"));

  require_no_defect(parameters, map);
  return RobotModel(std::move(parameters));
}

}  // namespace

RobotModel load_robot(const std::string & path) { return read_robot(YamlMap::load(path)); }

RobotModel parse_robot(const std::string & text, const std::string & name)
{
  return read_robot(YamlMap::parse(text, name));
}

}  // namespace fivebar_control
