// SPDX-License-Identifier: Apache-2.0
#include "mechanism_reader.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace fivebar_control::multibody
{

Value MechanismReader::registered(const std::string & path, double number)
{
  const auto found = parameter_index_.find(path);
  if (found == parameter_index_.end())
  {
    return number;
  }
  nominal_[static_cast<std::size_t>(found->second)] = number;
  return Value::of_parameter(found->second);
}

Value MechanismReader::value(
  const YamlMap & map, const std::string & path, const std::string & key, const NumberRule & rule)
{
  return registered(path + "." + key, map.number(key, rule));
}

Value MechanismReader::value_or(
  const YamlMap & map, const std::string & path, const std::string & key, const NumberRule & rule,
  double fallback)
{
  return registered(path + "." + key, map.number_or(key, rule, fallback));
}

Value MechanismReader::value_or_input(
  const YamlMap & map, const std::string & path, const std::string & key, const NumberRule & rule)
{
  if (map.has(key))
  {
    const auto found = inputs_.find(map.text(key));
    if (found != inputs_.end())
    {
      return Value::of_parameter(static_cast<int>(parameter_paths_.size()) + found->second);
    }
  }
  NumberRule with_inputs = rule;
  with_inputs.expectation += " or the name of an input";
  return value_or(map, path, key, with_inputs, 0.0);
}

std::array<Value, 2> MechanismReader::pair(
  const YamlMap & map, const std::string & path, const std::string & key, const NumberRule & rule)
{
  const std::vector<double> numbers = map.numbers(key, 2, rule);
  const std::string full = path.empty() ? key : path + "." + key;
  return {registered(full + ".x", numbers[0]), registered(full + ".y", numbers[1])};
}

Anchor MechanismReader::anchor(
  const YamlMap & map, const std::string & key, const std::string & name) const
{
  const auto found = anchors_.find(name);
  if (found == anchors_.end())
  {
    std::vector<std::string> names;
    for (const auto & [known, unused] : anchors_)
    {
      names.push_back(known);
    }
    map.fail(
      key, fmt::format("there is no point '{}'; there are {}", name, fmt::join(names, ", ")));
  }
  return found->second;
}

std::array<Anchor, 2> MechanismReader::anchors(const YamlMap & map, const std::string & key) const
{
  const std::vector<std::string> names = map.texts(key, 2);
  return {anchor(map, key, names[0]), anchor(map, key, names[1])};
}

int MechanismReader::coordinate(
  const YamlMap & map, const std::string & key, const std::string & name) const
{
  const int index = find_coordinate(mechanism_, name);
  if (index < 0)
  {
    map.fail(
      key, fmt::format(
             "there is no coordinate '{}'; there are {}", name,
             fmt::join(mechanism_.coordinate_names, ", ")));
  }
  return index;
}

std::array<double, 2> MechanismReader::start_of(const Anchor & anchor) const
{
  switch (anchor.kind)
  {
    case Anchor::Kind::point:
      return {
        start_[static_cast<std::size_t>(anchor.index)],
        start_[static_cast<std::size_t>(anchor.index) + 1]};
    case Anchor::Kind::ground:
      return {anchor.x.constant, anchor.y.constant};
    case Anchor::Kind::body:
      break;
  }
  throw InternalError("rods end at points or at the ground");
}

void MechanismReader::read_parameters()
{
  if (!yaml_.has("parameters"))
  {
    return;
  }
  for (const std::string & path : yaml_.texts("parameters", 0))
  {
    if (parameter_index_.count(path) > 0)
    {
      yaml_.fail("parameters", fmt::format("'{}' is listed twice", path));
    }
    if (path.rfind("inputs.", 0) == 0)
    {
      input_parameters_.push_back(path.substr(7));
      continue;
    }
    parameter_index_[path] = static_cast<int>(parameter_paths_.size());
    parameter_paths_.push_back(path);
  }
  nominal_.resize(parameter_paths_.size());
}

void MechanismReader::read_inputs()
{
  const auto map = yaml_.optional_map("inputs");
  if (!map)
  {
    return;
  }
  for (const std::string & name : map->keys())
  {
    const YamlMap one = map->map(name);
    one.allow_only({"step", "nodes", "zeros"});
    Input input;
    input.step = one.number("step", positive("s"));
    if (one.has("zeros"))
    {
      input.nodes = VectorD::Zero(one.integer("zeros", 1, 1000000));
    }
    else
    {
      const std::vector<double> nodes = one.numbers("nodes", 0, any_number("value"));
      if (nodes.empty())
      {
        one.fail("nodes", "expected at least one value");
      }
      input.nodes =
        Eigen::Map<const VectorD>(nodes.data(), static_cast<Eigen::Index>(nodes.size()));
    }
    inputs_[name] = static_cast<int>(input_signals_.size());
    input_names_.push_back(name);
    input_signals_.push_back(input);
  }
}

void MechanismReader::read_places()
{
  if (yaml_.has("gravity"))
  {
    const auto gravity = pair(yaml_, "", "gravity", any_number("m/s^2"));
    mechanism_.gravity_x = gravity[0];
    mechanism_.gravity_y = gravity[1];
  }
  if (const auto map = yaml_.optional_map("ground"))
  {
    for (const std::string & name : map->keys())
    {
      const auto place = pair(*map, "ground", name, any_number("m"));
      anchors_[name] = {Anchor::Kind::ground, 0, place[0], place[1]};
    }
  }
  if (const auto map = yaml_.optional_map("points"))
  {
    for (const std::string & name : map->keys())
    {
      if (anchors_.count(name) > 0)
      {
        map->fail(name, "this name is taken by a point of the ground");
      }
      const std::vector<double> start = map->numbers(name, 2, any_number("m"));
      anchors_[name] = {Anchor::Kind::point, mechanism_.add_point(name), {}, {}};
      start_.insert(start_.end(), start.begin(), start.end());
    }
  }
}

void MechanismReader::read_rods()
{
  const auto map = yaml_.optional_map("rods");
  if (!map)
  {
    return;
  }
  for (const std::string & name : map->keys())
  {
    const YamlMap one = map->map(name);
    const std::string path = "rods." + name;
    one.allow_only({"from", "to", "mass", "length", "centre", "inertia"});
    Rod rod;
    rod.from = anchor(one, "from", one.text("from"));
    rod.to = anchor(one, "to", one.text("to"));
    const auto from = start_of(rod.from), to = start_of(rod.to);
    const double distance = std::hypot(to[0] - from[0], to[1] - from[1]);
    if (!one.has("length") && !(distance > 0.0))
    {
      one.fail("length", "both ends are at the same place: expected a length [m]");
    }
    rod.mass = value(one, path, "mass", positive("kg"));
    rod.length = value_or(one, path, "length", positive("m"), distance);
    rod.uniform = !one.has("centre") && !one.has("inertia");
    if (!rod.uniform)
    {
      rod.centre = value(one, path, "centre", any_number("m"));
      rod.inertia = value(one, path, "inertia", not_negative("kg m^2"));
    }
    joint_rows_[name] = {static_cast<int>(mechanism_.rods.size()), 1};
    rods_[name] = mechanism_.rods.size();
    mechanism_.rods.push_back(rod);
  }
}

void MechanismReader::read_bodies()
{
  if (const auto map = yaml_.optional_map("bodies"))
  {
    for (const std::string & name : map->keys())
    {
      const YamlMap one = map->map(name);
      const std::string path = "bodies." + name;
      one.allow_only({"mass", "inertia", "centre", "start", "points"});
      Body body;
      body.mass = value(one, path, "mass", positive("kg"));
      body.inertia = value(one, path, "inertia", positive("kg m^2"));
      if (one.has("centre"))
      {
        const auto centre = pair(one, path, "centre", any_number("m"));
        body.centre_x = centre[0];
        body.centre_y = centre[1];
      }
      const std::vector<double> start = one.numbers("start", 3, any_number("m, m, rad"));
      const std::vector<double> centre = one.has("centre")
                                           ? one.numbers("centre", 2, any_number("m"))
                                           : std::vector<double>{0.0, 0.0};
      const double c = std::cos(start[2]), s = std::sin(start[2]);
      start_.push_back(start[0] + c * centre[0] - s * centre[1]);
      start_.push_back(start[1] + s * centre[0] + c * centre[1]);
      start_.push_back(start[2]);
      const int index = mechanism_.add_body(name, body);
      bodies_[name] = index;
      anchors_[name + ".origin"] = {Anchor::Kind::body, index, 0.0, 0.0};
      if (const auto points = one.optional_map("points"))
      {
        for (const std::string & point : points->keys())
        {
          const auto place = pair(*points, path + ".points", point, any_number("m"));
          anchors_[fmt::format("{}.{}", name, point)] = {
            Anchor::Kind::body, index, place[0], place[1]};
        }
      }
    }
  }
  if (const auto map = yaml_.optional_map("shafts"))
  {
    for (const std::string & name : map->keys())
    {
      const YamlMap one = map->map(name);
      one.allow_only({"inertia", "start"});
      shafts_[name] =
        mechanism_.add_shaft(name, value(one, "shafts." + name, "inertia", positive("kg m^2")));
      start_.push_back(one.number_or("start", any_number("rad"), 0.0));
    }
  }
}

Joint MechanismReader::read_joint(const YamlMap & map, const std::string & path)
{
  static const std::vector<std::string> types{"revolute", "prismatic", "line", "gear", "drive"};
  Joint joint;
  joint.type = static_cast<Joint::Type>(map.choice("type", types));
  switch (joint.type)
  {
    case Joint::Type::gear: {
      map.allow_only({"type", "shaft", "body", "ratio", "offset"});
      const auto shaft = shafts_.find(map.text("shaft"));
      if (shaft == shafts_.end())
      {
        map.fail("shaft", fmt::format("there is no shaft '{}'", map.text("shaft")));
      }
      const auto body = bodies_.find(map.text("body"));
      if (body == bodies_.end())
      {
        map.fail("body", fmt::format("there is no body '{}'", map.text("body")));
      }
      joint.shaft = shaft->second;
      joint.b.index = body->second;
      joint.ratio = value(map, path, "ratio", any_number("ratio"));
      joint.offset = value_or(map, path, "offset", any_number("rad"), 0.0);
      return joint;
    }
    case Joint::Type::drive:
      map.allow_only({"type", "coordinate", "offset", "rate"});
      joint.shaft = coordinate(map, "coordinate", map.text("coordinate"));
      joint.offset = value(map, path, "offset", any_number("m or rad"));
      joint.ratio = value(map, path, "rate", any_number("1/s"));
      return joint;
    case Joint::Type::revolute:
      map.allow_only({"type", "between"});
      break;
    case Joint::Type::prismatic:
    case Joint::Type::line: {
      map.allow_only({"type", "between", "axis", "angle"});
      const auto axis = pair(map, path, "axis", any_number("direction"));
      joint.x = axis[0];
      joint.y = axis[1];
      joint.offset = value_or(map, path, "angle", any_number("rad"), 0.0);
      break;
    }
  }
  const auto between = anchors(map, "between");
  joint.a = between[0];
  joint.b = between[1];
  if (joint.type == Joint::Type::prismatic && joint.b.kind != Anchor::Kind::body)
  {
    map.fail("between", "the second of a prismatic joint must be a point of a body");
  }
  return joint;
}

void MechanismReader::read_joints(
  const YamlMap & owner, const std::string & prefix, Mechanism & mechanism)
{
  const auto map = owner.optional_map("joints");
  if (!map)
  {
    return;
  }
  int row = static_cast<int>(mechanism.rods.size());
  for (const Joint & joint : mechanism.joints)
  {
    row += joint.constraints();
  }
  for (const std::string & name : map->keys())
  {
    const YamlMap one = map->map(name);
    mechanism.joints.push_back(read_joint(one, fmt::format("{}joints.{}", prefix, name)));
    joint_rows_[name] = {row, mechanism.joints.back().constraints()};
    row += mechanism.joints.back().constraints();
  }
}

void MechanismReader::read_forces()
{
  const auto each = [&](const char * section, auto && use) {
    if (const auto map = yaml_.optional_map(section))
    {
      for (const std::string & name : map->keys())
      {
        use(map->map(name), fmt::format("{}.{}", section, name));
      }
    }
  };
  each("springs", [&](const YamlMap & one, const std::string & path) {
    one.allow_only({"between", "stiffness", "rest_length", "damping", "force"});
    Spring spring;
    const auto between = anchors(one, "between");
    spring.a = between[0];
    spring.b = between[1];
    spring.stiffness = value_or(one, path, "stiffness", any_number("N/m"), 0.0);
    spring.rest_length = value_or(one, path, "rest_length", not_negative("m"), 0.0);
    spring.damping = value_or(one, path, "damping", any_number("N s/m"), 0.0);
    spring.force = value_or_input(one, path, "force", any_number("N"));
    mechanism_.springs.push_back(spring);
  });
  each("torsion_springs", [&](const YamlMap & one, const std::string & path) {
    one.allow_only({"between", "stiffness", "rest_angle", "damping", "torque"});
    TorsionSpring spring;
    const std::vector<std::string> names = one.texts("between", 2);
    const auto angle = [&](const std::string & name) {
      return name == "ground" ? -1 : coordinate(one, "between", name + ".angle");
    };
    spring.a = angle(names[0]);
    spring.b = angle(names[1]);
    spring.stiffness = value_or(one, path, "stiffness", any_number("N m/rad"), 0.0);
    spring.rest_angle = value_or(one, path, "rest_angle", any_number("rad"), 0.0);
    spring.damping = value_or(one, path, "damping", any_number("N m s/rad"), 0.0);
    spring.torque = value_or_input(one, path, "torque", any_number("N m"));
    mechanism_.torsion_springs.push_back(spring);
  });
  each("loads", [&](const YamlMap & one, const std::string & path) {
    one.allow_only({"at", "x", "y"});
    Load load;
    load.at = anchor(one, "at", one.text("at"));
    load.x = value_or_input(one, path, "x", any_number("N"));
    load.y = value_or_input(one, path, "y", any_number("N"));
    mechanism_.loads.push_back(load);
  });
  each("motors", [&](const YamlMap & one, const std::string & path) {
    one.allow_only({"shaft", "torque_constant", "back_emf", "resistance", "friction", "voltage"});
    Motor motor;
    const auto shaft = shafts_.find(one.text("shaft"));
    if (shaft == shafts_.end())
    {
      one.fail("shaft", fmt::format("there is no shaft '{}'", one.text("shaft")));
    }
    motor.shaft = shaft->second;
    motor.torque_constant = value(one, path, "torque_constant", positive("N m/A"));
    motor.back_emf = value(one, path, "back_emf", not_negative("V s/rad"));
    motor.resistance = value(one, path, "resistance", positive("ohm"));
    motor.friction = value_or(one, path, "friction", not_negative("N m s/rad"), 0.0);
    motor.voltage = value_or_input(one, path, "voltage", any_number("V"));
    mechanism_.motors.push_back(motor);
  });
}

}  // namespace fivebar_control::multibody
