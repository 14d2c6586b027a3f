// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/mechanism.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "drive_table.hpp"
#include "planar.hpp"
#include "redundancy.hpp"
#include "spatial_kinematics.hpp"

namespace fivebar_control::multibody
{
namespace
{

bool varies(const Value & value) { return value.parameter >= 0; }

/// Whether a parameter moves the anchor where nothing else moves.
bool varies(const Mechanism & mechanism, const Anchor & anchor)
{
  if (varies(anchor.x) || varies(anchor.y))
  {
    return true;
  }
  if (anchor.kind != Anchor::Kind::body)
  {
    return false;
  }
  const Body & body = mechanism.bodies[static_cast<std::size_t>(anchor.index)];
  return varies(body.centre_x) || varies(body.centre_y);
}

}  // namespace

bool parameters_in_drives(const Mechanism & mechanism)
{
  return std::any_of(mechanism.joints.begin(), mechanism.joints.end(), [](const Joint & joint) {
    if (joint.table)
    {
      return std::any_of(
        joint.table->positions.begin(), joint.table->positions.end(),
        [](const Value & value) { return varies(value); });
    }
    return varies(joint.offset) || varies(joint.ratio);
  });
}

bool parameters_in_constraints(const Mechanism & mechanism)
{
  const auto moved = [&](const Anchor & anchor) { return varies(mechanism, anchor); };
  return std::any_of(
           mechanism.rods.begin(), mechanism.rods.end(),
           [&](const Rod & rod) {
             return varies(rod.length) || moved(rod.from) || moved(rod.to);
           }) ||
         parameters_in_drives(mechanism) ||
         std::any_of(mechanism.joints.begin(), mechanism.joints.end(), [&](const Joint & joint) {
           const bool of_angles =
             joint.type == Joint::Type::gear || joint.type == Joint::Type::drive;
           return !of_angles &&
                  (varies(joint.x) || varies(joint.y) || moved(joint.a) || moved(joint.b));
         });
}

int Joint::constraints() const { return type == Type::revolute || type == Type::prismatic ? 2 : 1; }

int Mechanism::add_point(const std::string & name)
{
  coordinate_names.push_back(name + ".x");
  coordinate_names.push_back(name + ".y");
  coordinates += 2;
  return coordinates - 2;
}

int Mechanism::add_body(const std::string & name, const Body & body)
{
  coordinate_names.push_back(name + ".x");
  coordinate_names.push_back(name + ".y");
  coordinate_names.push_back(name + ".angle");
  bodies.push_back(body);
  bodies.back().first = coordinates;
  coordinates += 3;
  return static_cast<int>(bodies.size()) - 1;
}

int Mechanism::add_shaft(const std::string & name, const Value & inertia)
{
  coordinate_names.push_back(name + ".angle");
  shafts.push_back({coordinates, inertia});
  return coordinates++;
}

int find_coordinate(const Mechanism & mechanism, const std::string & name)
{
  for (std::size_t i = 0; i < mechanism.coordinate_names.size(); ++i)
  {
    if (mechanism.coordinate_names[i] == name)
    {
      return static_cast<int>(i);
    }
  }
  return -1;
}

namespace
{

std::shared_ptr<const System> checked_parts(Mechanism mechanism)
{
  if (mechanism.coordinates == 0)
  {
    throw MechanismError("the mechanism has no moving parts: it needs points with rods, or bodies");
  }
  const auto refuse = [](const Value & value, bool zero_allowed, const char * what) {
    if (value.parameter < 0 && (value.constant < 0.0 || (!zero_allowed && value.constant == 0.0)))
    {
      throw MechanismError(fmt::format("{} must be positive, not {}", what, value.constant));
    }
  };
  for (const Rod & rod : mechanism.rods)
  {
    refuse(rod.mass, true, "the mass of a rod");
    refuse(rod.length, false, "the length of a rod");
  }
  for (const Body & body : mechanism.bodies)
  {
    refuse(body.mass, true, "the mass of a body");
    refuse(body.inertia, true, "the inertia of a body");
  }
  return mechanism.space ? make_spatial_system(std::move(mechanism))
                         : make_planar_system(std::move(mechanism));
}

/// Whether a drive moves it, so that it needs no freedom of its own.
bool is_driven(const Mechanism & mechanism)
{
  return std::any_of(mechanism.joints.begin(), mechanism.joints.end(), [](const Joint & joint) {
    return joint.type == Joint::Type::drive;
  });
}

std::shared_ptr<const System> able_to_move(std::shared_ptr<const System> system, bool driven)
{
  if (system->freedom() < 0)
  {
    throw MechanismError(fmt::format(
      "{} constraints on {} coordinates: the constraints are redundant or contradict each other",
      system->constraints(), system->coordinates()));
  }
  if (system->freedom() == 0 && !driven)
  {
    throw MechanismError(fmt::format(
      "{} constraints on {} coordinates: nothing can move", system->constraints(),
      system->coordinates()));
  }
  return system;
}

}  // namespace

std::shared_ptr<const System> make_system(Mechanism mechanism)
{
  const bool driven = is_driven(mechanism);
  return able_to_move(checked_parts(std::move(mechanism)), driven);
}

std::shared_ptr<const System> make_system(
  Mechanism mechanism, const VectorD & start, const VectorD & theta, std::vector<int> & left_out)
{
  const bool driven = is_driven(mechanism);
  auto system = checked_parts(std::move(mechanism));
  left_out = redundant_constraints(*system, start, theta);
  return able_to_move(
    left_out.empty() ? std::move(system) : without_constraints(std::move(system), left_out),
    driven);
}

}  // namespace fivebar_control::multibody
