// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "drive_table.hpp"
#include "mechanism_reader.hpp"

namespace fivebar_control::multibody
{

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
    case Anchor::Kind::body: {
      const Body & body = mechanism_.bodies[static_cast<std::size_t>(anchor.index)];
      const auto first = static_cast<std::size_t>(body.first);
      const double c = std::cos(start_[first + 2]), s = std::sin(start_[first + 2]);
      const double x = anchor.x.constant - body.centre_x.constant;
      const double y = anchor.y.constant - body.centre_y.constant;
      return {start_[first] + c * x - s * y, start_[first + 1] + s * x + c * y};
    }
  }
  throw InternalError("unknown kind of anchor");
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
  const auto map = yaml_.optional_map("bodies");
  if (!map)
  {
    return;
  }
  for (const std::string & name : map->keys())
  {
    const YamlMap one = map->map(name);
    const std::string path = "bodies." + name;
    one.allow_only({"mass", "inertia", "centre", "start", "points"});
    Body body;
    body.mass = value(one, path, "mass", positive("kg"));
    body.inertia = value(one, path, "inertia", positive("kg m^2"));
    std::vector<double> centre{0.0, 0.0};
    if (one.has("centre"))
    {
      centre = one.numbers("centre", 2, any_number("m"));
      const auto values = pair(one, path, "centre", any_number("m"));
      body.centre_x = values[0];
      body.centre_y = values[1];
    }
    const std::vector<double> start = one.numbers("start", 3, any_number("m, m, rad"));
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

void MechanismReader::read_shafts()
{
  const auto map = yaml_.optional_map("shafts");
  if (!map)
  {
    return;
  }
  for (const std::string & name : map->keys())
  {
    const YamlMap one = map->map(name);
    one.allow_only({"inertia", "start"});
    shafts_[name] =
      mechanism_.add_shaft(name, value(one, "shafts." + name, "inertia", not_negative("kg m^2")));
    start_.push_back(one.number_or("start", any_number("rad"), 0.0));
  }
}

int MechanismReader::shaft(const YamlMap & map) const
{
  const auto found = shafts_.find(map.text("shaft"));
  if (found == shafts_.end())
  {
    map.fail("shaft", fmt::format("there is no shaft '{}'", map.text("shaft")));
  }
  return found->second;
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
      const auto body = bodies_.find(map.text("body"));
      if (body == bodies_.end())
      {
        map.fail("body", fmt::format("there is no body '{}'", map.text("body")));
      }
      joint.shaft = shaft(map);
      joint.b.index = body->second;
      joint.ratio = value(map, path, "ratio", any_number("ratio"));
      joint.offset = value_or(map, path, "offset", any_number("rad"), 0.0);
      return joint;
    }
    case Joint::Type::drive:
      map.allow_only({"type", "coordinate", "offset", "rate", "table"});
      joint.shaft = coordinate(map, "coordinate", map.text("coordinate"));
      if (map.has("table"))
      {
        joint.table = read_drive_table(map, path);
        return joint;
      }
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

/// `table: {times: [...], positions: [...]}` instead of offset and rate.
std::shared_ptr<const DriveTable> MechanismReader::read_drive_table(
  const YamlMap & drive, const std::string & path)
{
  for (const char * key : {"offset", "rate"})
  {
    if (drive.has(key))
    {
      drive.fail(key, "a drive has either a table, or offset and rate");
    }
  }
  const YamlMap map = drive.map("table");
  map.allow_only({"times", "positions"});
  const std::vector<double> times = map.numbers("times", 0, any_number("s"));
  const std::vector<double> positions = map.numbers("positions", 0, any_number("m or rad"));
  if (times.size() < 3 || times.size() != positions.size())
  {
    map.fail(
      "positions",
      fmt::format(
        "expected one position for each time, three or more; there are {} times and {} "
        "positions",
        times.size(), positions.size()));
  }
  if (std::adjacent_find(times.begin(), times.end(), std::greater_equal<>()) != times.end())
  {
    map.fail("times", "expected times that increase");
  }
  const double duration = yaml_.number("duration", positive("s"));
  if (times.front() > 0.0 || times.back() < duration)
  {
    map.fail("times", fmt::format("expected times from 0 to the duration, {} s", duration));
  }
  std::vector<Value> values;
  for (std::size_t i = 0; i < positions.size(); ++i)
  {
    values.push_back(registered(fmt::format("{}.table.positions.{}", path, i), positions[i]));
  }
  return std::make_shared<DriveTable>(make_drive_table(
    VectorD::Map(times.data(), static_cast<Eigen::Index>(times.size())), std::move(values)));
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

}  // namespace fivebar_control::multibody
