// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cmath>

#include "mechanism_reader.hpp"
#include "spatial_kinematics.hpp"
#include "spatial_tree.hpp"

namespace fivebar_control::multibody
{
namespace
{

constexpr std::array<const char *, 6> inertia_names{"xx", "yy", "zz", "xy", "xz", "yz"};

Direction three(const std::vector<double> & numbers)
{
  return {numbers[0], numbers[1], numbers[2]};
}

/// An axis of length 1.
Direction axis_of(const YamlMap & map, const std::string & key)
{
  const Direction given = three(map.numbers(key, 3, any_number("direction")));
  const double length = std::hypot(given[0], given[1], given[2]);
  if (!(length > 1e-12))
  {
    map.fail(key, "this direction has no length");
  }
  return {given[0] / length, given[1] / length, given[2] / length};
}

/// Why no rigid body has this inertia, or "".
std::string inertia_fault(const std::vector<double> & J)
{
  const double minor = J[0] * J[1] - J[3] * J[3];
  const double det = J[0] * (J[1] * J[2] - J[5] * J[5]) - J[3] * (J[3] * J[2] - J[5] * J[4]) +
                     J[4] * (J[3] * J[5] - J[1] * J[4]);
  if (!(J[0] > 0.0 && minor > 0.0 && det > 0.0))
  {
    return "this inertia is not positive about every axis";
  }
  // What is spread along each axis, trace / 2 - J, cannot be negative.
  const double half = 0.5 * (J[0] + J[1] + J[2]) * (1.0 + 1e-9);
  const std::vector<double> spread{half - J[0], half - J[1], half - J[2], -J[3], -J[4], -J[5]};
  const double spread_minor = spread[0] * spread[1] - J[3] * J[3];
  const double spread_det = spread[0] * (spread[1] * spread[2] - J[5] * J[5]) -
                            spread[3] * (spread[3] * spread[2] - spread[5] * spread[4]) +
                            spread[4] * (spread[3] * spread[5] - spread[1] * spread[4]);
  const double scale = half * half * 1e-12;
  if (
    spread[0] < 0.0 || spread[1] < 0.0 || spread[2] < 0.0 || spread_minor < -scale ||
    spread_det < -scale * half)
  {
    return "no rigid body has this inertia: about one axis it is larger than about the two others "
           "together";
  }
  return "";
}

}  // namespace

std::array<Value, 3> MechanismReader::triple(
  const YamlMap & map, const std::string & path, const std::string & key, const NumberRule & rule)
{
  const std::vector<double> numbers = map.numbers(key, 3, rule);
  const std::string full = path.empty() ? key : path + "." + key;
  return {
    registered(full + ".x", numbers[0]), registered(full + ".y", numbers[1]),
    registered(full + ".z", numbers[2])};
}

void MechanismReader::read_space()
{
  mechanism_.space.emplace();
  SpatialParts & space = *mechanism_.space;
  space.coordinates =
    static_cast<Coordinates>(yaml_.choice("coordinates", {"absolute", "natural", "joint"}));
  for (const char * key : {"reference_point", "opened", "closures"})
  {
    if (yaml_.has(key) && space.coordinates != Coordinates::joint)
    {
      yaml_.fail(key, "this belongs to 'coordinates: joint'");
    }
  }
  if (yaml_.has("reference_point"))
  {
    space.reference_point =
      static_cast<MassReference>(yaml_.choice("reference_point", {"centre", "origin"}));
  }
  if (yaml_.has("closures"))
  {
    space.closure = static_cast<Closure>(yaml_.choice("closures", {"minimal", "coincidence"}));
  }
  if (yaml_.has("gravity"))
  {
    const auto gravity = triple(yaml_, "", "gravity", any_number("m/s^2"));
    mechanism_.gravity_x = gravity[0];
    mechanism_.gravity_y = gravity[1];
    mechanism_.gravity_z = gravity[2];
  }
  if (const auto map = yaml_.optional_map("ground"))
  {
    for (const std::string & name : map->keys())
    {
      const auto place = triple(*map, "ground", name, any_number("m"));
      anchors_[name] = {Anchor::Kind::ground, 0, place[0], place[1], place[2]};
    }
  }
  const YamlMap bodies = yaml_.map("bodies");
  for (const std::string & name : bodies.keys())
  {
    read_spatial_body(bodies.map(name), name);
  }
  read_spatial_joints();
  lay_out(mechanism_, start_);
  name_rows();
  read_drives();
}

void MechanismReader::read_spatial_body(const YamlMap & one, const std::string & name)
{
  const std::string path = "bodies." + name;
  one.allow_only({"mass", "inertia", "centre", "start", "rotation", "points"});
  SpatialBody body;
  body.name = name;
  body.mass = value(one, path, "mass", positive("kg"));
  if (one.is_list("inertia"))
  {
    std::vector<double> J = one.numbers("inertia", 0, any_number("kg m^2"));
    if (J.size() != 3 && J.size() != 6)
    {
      one.fail("inertia", "expected one number, or [xx, yy, zz], or [xx, yy, zz, xy, xz, yz]");
    }
    J.resize(6, 0.0);
    if (const std::string fault = inertia_fault(J); !fault.empty())
    {
      one.fail("inertia", fault);
    }
    for (std::size_t k = 0; k < 6; ++k)
    {
      body.inertia[k] = registered(fmt::format("{}.inertia.{}", path, inertia_names[k]), J[k]);
    }
  }
  else
  {
    const Value same = value(one, path, "inertia", positive("kg m^2"));
    body.inertia = {same, same, same, 0.0, 0.0, 0.0};
  }
  if (one.has("centre"))
  {
    body.centre = triple(one, path, "centre", any_number("m"));
  }
  body.start = one.has("start") ? three(one.numbers("start", 3, any_number("m"))) : Direction{};
  body.start_axes = orientation(
    one.has("rotation") ? three(one.numbers("rotation", 3, any_number("rad"))) : Direction{});
  const int index = static_cast<int>(mechanism_.space->bodies.size());
  bodies_[name] = index;
  mechanism_.space->bodies.push_back(body);
  const Anchor origin{Anchor::Kind::body, index, 0.0, 0.0, 0.0};
  anchors_[name + ".origin"] = origin;
  if (const auto points = one.optional_map("points"))
  {
    for (const std::string & point : points->keys())
    {
      const auto place = triple(*points, path + ".points", point, any_number("m"));
      anchors_[fmt::format("{}.{}", name, point)] = {
        Anchor::Kind::body, index, place[0], place[1], place[2]};
    }
  }
}

void MechanismReader::read_spatial_joints()
{
  SpatialParts & space = *mechanism_.space;
  const auto map = yaml_.optional_map("joints");
  for (const std::string & name : map ? map->keys() : std::vector<std::string>())
  {
    const YamlMap one = map->map(name);
    if (one.text("type") != "drive")
    {
      spatial_joints_[name] = static_cast<int>(space.joints.size());
      space.joints.push_back(read_spatial_joint(one, name));
    }
  }
  if (yaml_.has("opened"))
  {
    for (const std::string & name : yaml_.texts("opened", 0))
    {
      const auto found = spatial_joints_.find(name);
      if (found == spatial_joints_.end())
      {
        yaml_.fail("opened", fmt::format("there is no joint '{}'", name));
      }
      space.cut.push_back(found->second);
    }
  }
}

SpatialJoint MechanismReader::read_spatial_joint(const YamlMap & one, const std::string & name)
{
  using Type = SpatialJoint::Type;
  SpatialJoint joint;
  joint.name = name;
  joint.type = static_cast<Type>(one.choice(
    "type", {"revolute", "prismatic", "cardan", "cylindrical", "spherical", "planar", "floating"}));
  const bool with_axis = joint.type != Type::spherical && joint.type != Type::floating;
  if (joint.type == Type::cardan)
  {
    one.allow_only({"type", "between", "axis", "second_axis"});
    joint.second = axis_of(one, "second_axis");
  }
  else if (with_axis)
  {
    one.allow_only({"type", "between", "axis"});
  }
  else
  {
    one.allow_only({"type", "between"});
  }
  if (with_axis)
  {
    joint.axis = axis_of(one, "axis");
  }
  const auto between = anchors(one, "between");
  joint.a = between[0];
  joint.b = between[1];
  const auto body = [](const Anchor & anchor) {
    return anchor.kind == Anchor::Kind::body ? anchor.index : -1;
  };
  if (body(joint.a) == body(joint.b))
  {
    one.fail("between", "a joint connects two different bodies, or a body and the ground");
  }
  settle_joint(*mechanism_.space, joint);
  if (joint.type == Type::cardan)
  {
    const auto first = space<double>(joint.axis);
    const auto second = columns<double>(joint.zero) * space<double>(joint.second);
    if (std::abs(dot(first, second)) > 1e-9)
    {
      one.fail("second_axis", "the two axes of a Cardan joint must be perpendicular at the start");
    }
  }
  return joint;
}

/// Which multipliers belong to which joint: those of Euler parameters or frames come first.
void MechanismReader::name_rows()
{
  const SpatialParts & space = *mechanism_.space;
  int row =
    space.coordinates == Coordinates::natural ? 6 * static_cast<int>(space.bodies.size()) : 0;
  for (const SpatialLink & link : space.links)
  {
    const auto type = link.joint.type;
    row += type == SpatialJoint::Type::spherical || type == SpatialJoint::Type::floating ? 1 : 0;
  }
  for (const int closure : space.closures)
  {
    const SpatialJoint & joint = space.joints[static_cast<std::size_t>(closure)];
    const int count = joint.constraints(space.closure);
    joint_rows_[joint.name] = {row, count};
    row += count;
  }
  first_drive_row_ = row;
}

void MechanismReader::read_drives()
{
  const auto map = yaml_.optional_map("joints");
  int row = first_drive_row_;
  for (const std::string & name : map ? map->keys() : std::vector<std::string>())
  {
    const YamlMap one = map->map(name);
    if (one.text("type") == "drive")
    {
      mechanism_.joints.push_back(read_joint(one, "joints." + name));
      joint_rows_[name] = {row++, 1};
    }
  }
}

/// Joints of a mode: all of them close loops.
void MechanismReader::add_closures(const YamlMap & mode, Mechanism & mechanism)
{
  const auto map = mode.optional_map("joints");
  SpatialParts & space = *mechanism.space;
  for (const std::string & name : map ? map->keys() : std::vector<std::string>())
  {
    const YamlMap one = map->map(name);
    if (one.text("type") == "drive")
    {
      one.fail("type", "a mode of a spatial mechanism cannot add drives");
    }
    space.closures.push_back(static_cast<int>(space.joints.size()));
    space.joints.push_back(read_spatial_joint(one, name));
  }
}

std::pair<int, int> MechanismReader::joint_component(const YamlMap & map) const
{
  const auto found = spatial_joints_.find(map.text("joint"));
  if (found == spatial_joints_.end())
  {
    map.fail("joint", fmt::format("there is no joint '{}'", map.text("joint")));
  }
  const SpatialJoint & joint = mechanism_.space->joints[static_cast<std::size_t>(found->second)];
  if (joint.components() == 0)
  {
    map.fail("joint", "a spherical or floating joint has no single angles or travels");
  }
  return {found->second, map.integer_or("component", 0, joint.components() - 1, 0)};
}

void MechanismReader::read_joint_spring(const YamlMap & one, const std::string & path)
{
  one.allow_only({"joint", "component", "stiffness", "rest_angle", "damping", "torque"});
  SpatialParts::TorsionSpring spring;
  const auto [joint, component] = joint_component(one);
  spring.joint = joint;
  spring.component = component;
  if (!is_angle(mechanism_.space->joints[static_cast<std::size_t>(joint)], component))
  {
    one.fail("component", "a torsion spring needs an angle; this one is a travel");
  }
  spring.stiffness = value_or(one, path, "stiffness", any_number("N m/rad"), 0.0);
  spring.rest_angle = value_or(one, path, "rest_angle", any_number("rad"), 0.0);
  spring.damping = value_or(one, path, "damping", any_number("N m s/rad"), 0.0);
  spring.torque = value_or_input(one, path, "torque", any_number("N m"));
  mechanism_.space->torsion_springs.push_back(spring);
}

void MechanismReader::read_joint_motor(const YamlMap & one, const std::string & path)
{
  one.allow_only(
    {"joint", "component", "torque_constant", "back_emf", "resistance", "friction", "voltage",
     "ratio", "rotor_inertia"});
  SpatialParts::Motor motor;
  const auto [joint, component] = joint_component(one);
  motor.joint = joint;
  motor.component = component;
  if (!is_angle(mechanism_.space->joints[static_cast<std::size_t>(joint)], component))
  {
    one.fail("component", "a motor needs an angle; this one is a travel");
  }
  motor.torque_constant = value(one, path, "torque_constant", positive("N m/A"));
  motor.back_emf = value(one, path, "back_emf", not_negative("V s/rad"));
  motor.resistance = value(one, path, "resistance", positive("ohm"));
  motor.friction = value_or(one, path, "friction", not_negative("N m s/rad"), 0.0);
  motor.voltage = value_or_input(one, path, "voltage", any_number("V"));
  motor.ratio = value_or(one, path, "ratio", any_number("ratio"), 1.0);
  motor.rotor_inertia = value_or(one, path, "rotor_inertia", not_negative("kg m^2"), 0.0);
  mechanism_.space->motors.push_back(motor);
}

}  // namespace fivebar_control::multibody
