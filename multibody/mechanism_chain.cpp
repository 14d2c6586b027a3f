// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>

#include "mechanism_reader.hpp"

namespace fivebar_control::multibody
{

/// `pendula: N` bodies that are all alike, each hanging on the tip of the one before, the first one
/// on the point that `pendulum.from` names. The angles at the start are absolute.
void MechanismReader::read_pendula()
{
  if (!yaml_.has("pendula"))
  {
    if (yaml_.has("pendulum"))
    {
      yaml_.fail("pendulum", "expected the number of them as well, 'pendula'");
    }
    return;
  }
  const int count = yaml_.integer("pendula", 1, 4096);
  constexpr int many = 300;
  if (count > many && yaml_.text_or("formulation", "") != "hadca")
  {
    yaml_.fail(
      "pendula", fmt::format(
                   "more than {} pendula need 'formulation: hadca': the work of the others grows "
                   "with the third power",
                   many));
  }
  const YamlMap one = yaml_.map("pendulum");
  one.allow_only({"from", "mass", "inertia", "length", "centre", "friction", "angle", "velocity"});
  const Anchor from = anchor(one, "from", one.text("from"));
  Body body;
  body.mass = value(one, "pendulum", "mass", positive("kg"));
  body.inertia = value(one, "pendulum", "inertia", positive("kg m^2"));
  const double length = one.number("length", positive("m"));
  const double centre = one.number_or("centre", any_number("m"), 0.5 * length);
  body.centre_x = registered("pendulum.centre", centre);
  const Value tip = registered("pendulum.length", length);
  const double angle = one.number_or("angle", any_number("rad"), -1.57079632679489661923);
  auto place = start_of(from);
  for (int i = 1; i <= count; ++i)
  {
    const std::string name = fmt::format("pendulum_{}", i);
    const int index = mechanism_.add_body(name, body);
    bodies_[name] = index;
    anchors_[name + ".origin"] = {Anchor::Kind::body, index, 0.0, 0.0};
    anchors_[name + ".tip"] = {Anchor::Kind::body, index, tip, 0.0};
    start_.push_back(place[0] + centre * std::cos(angle));
    start_.push_back(place[1] + centre * std::sin(angle));
    start_.push_back(angle);
    place = {place[0] + length * std::cos(angle), place[1] + length * std::sin(angle)};
    Hold hold;
    hold.quantity.index = find_coordinate(mechanism_, name + ".angle");
    hold.position = registered("pendulum.angle", angle);
    hold.velocity = value_or(one, "pendulum", "velocity", any_number("rad/s"), 0.0);
    pendulum_holds_.push_back(hold);
  }
}

/// The hinges come after the joints of the file.
void MechanismReader::hang_pendula()
{
  if (!yaml_.has("pendula"))
  {
    return;
  }
  const YamlMap one = yaml_.map("pendulum");
  const Value friction = value_or(one, "pendulum", "friction", not_negative("N m s/rad"), 0.0);
  Anchor from = anchor(one, "from", one.text("from"));
  int row = static_cast<int>(mechanism_.rods.size());
  for (const Joint & joint : mechanism_.joints)
  {
    row += joint.constraints();
  }
  for (int i = 1; i <= yaml_.integer("pendula", 1, 4096); ++i)
  {
    const std::string name = fmt::format("pendulum_{}", i);
    Joint hinge;
    hinge.a = from;
    hinge.b = anchors_.at(name + ".origin");
    mechanism_.joints.push_back(hinge);
    joint_rows_[fmt::format("hinge_{}", i)] = {row, 2};
    row += 2;
    TorsionSpring damper;
    damper.a = from.kind == Anchor::Kind::body
                 ? mechanism_.bodies[static_cast<std::size_t>(from.index)].first + 2
                 : -1;
    damper.b = mechanism_.bodies[static_cast<std::size_t>(hinge.b.index)].first + 2;
    damper.damping = friction;
    mechanism_.torsion_springs.push_back(damper);
    from = anchors_.at(name + ".tip");
  }
}

}  // namespace fivebar_control::multibody
