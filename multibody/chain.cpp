// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/chain.hpp"

#include <fmt/core.h>

#include <cmath>

namespace fivebar_control::multibody
{
namespace
{

class ChainBuilder
{
public:
  explicit ChainBuilder(const Mechanism & mechanism)
  : mechanism_(mechanism), place_in_chain_(mechanism.bodies.size())
  {
  }

  Chain build()
  {
    refuse(mechanism_.space.has_value(), "it is spatial; 'recursive' is the formulation for that");
    refuse(!mechanism_.rods.empty(), "it has rods; only bodies can form a chain");
    refuse(!mechanism_.shafts.empty() || !mechanism_.motors.empty(), "it has shafts");
    refuse(!mechanism_.springs.empty(), "it has springs between points");
    refuse(
      mechanism_.coordinates != 3 * static_cast<int>(mechanism_.bodies.size()),
      "it has points that belong to no body");
    refuse(
      mechanism_.joints.size() != mechanism_.bodies.size(),
      fmt::format(
        "{} joints carry {} bodies: a chain has as many joints as bodies", mechanism_.joints.size(),
        mechanism_.bodies.size()));
    follow_joints();
    for (const TorsionSpring & spring : mechanism_.torsion_springs)
    {
      add_spring(spring);
    }
    for (const Friction & friction : mechanism_.frictions)
    {
      add_friction(friction);
    }
    for (const Load & load : mechanism_.loads)
    {
      refuse(load.at.kind != Anchor::Kind::body, "a load acts on the ground");
      chain_.links[link_of(load.at.index)].loads.push_back({load.at.x, load.at.y, load.x, load.y});
    }
    chain_.gravity_x = mechanism_.gravity_x;
    chain_.gravity_y = mechanism_.gravity_y;
    return chain_;
  }

private:
  static void refuse(bool condition, const std::string & reason)
  {
    if (condition)
    {
      throw MechanismError("divide and conquer needs an open chain of bodies: " + reason);
    }
  }

  /// From the ground outwards; each joint is used once.
  void follow_joints()
  {
    // Joints of the ground, then of each body, with their first multipliers.
    std::vector<std::vector<std::pair<std::size_t, int>>> joints(mechanism_.bodies.size() + 1);
    int row = 0;
    for (std::size_t j = 0; j < mechanism_.joints.size(); ++j)
    {
      const Joint & joint = mechanism_.joints[j];
      joints[place_of(joint.a)].emplace_back(j, row);
      joints[place_of(joint.b)].emplace_back(j, row);
      row += joint.constraints();
    }
    std::vector<bool> used(mechanism_.joints.size(), false);
    int before = -1;  // the ground
    for (std::size_t k = 0; k < mechanism_.bodies.size(); ++k)
    {
      const std::pair<std::size_t, int> * found = nullptr;
      for (const auto & one : joints[static_cast<std::size_t>(before + 1)])
      {
        if (!used[one.first] && (found == nullptr || found->first != one.first))
        {
          refuse(found != nullptr, "it has branches");
          found = &one;
        }
      }
      refuse(found == nullptr, "some bodies are not connected to the ground");
      used[found->first] = true;
      before = add_link(mechanism_.joints[found->first], before, found->second);
    }
  }

  static std::size_t place_of(const Anchor & anchor)
  {
    return anchor.kind == Anchor::Kind::body ? static_cast<std::size_t>(anchor.index) + 1 : 0;
  }

  static bool is_on(const Anchor & anchor, int body)
  {
    return body < 0 ? anchor.kind == Anchor::Kind::ground
                    : anchor.kind == Anchor::Kind::body && anchor.index == body;
  }

  /// Returns the body that the joint leads to.
  int add_link(const Joint & joint, int before, int row)
  {
    const bool forward = is_on(joint.a, before);
    const Anchor & from = forward ? joint.a : joint.b;
    const Anchor & to = forward ? joint.b : joint.a;
    refuse(to.kind != Anchor::Kind::body, "a joint connects the ground with itself");
    const bool slides = joint.type == Joint::Type::prismatic;
    refuse(
      joint.type != Joint::Type::revolute && !slides, "a joint is neither revolute nor prismatic");
    refuse(slides && before >= 0, "only the first body may slide, on the ground");
    const Body & body = mechanism_.bodies[static_cast<std::size_t>(to.index)];
    ChainLink link;
    link.first = body.first;
    link.row = row;
    link.row_sign = forward ? 1.0 : -1.0;
    link.mass = body.mass;
    link.inertia = body.inertia;
    link.centre_x = link.outer_x = body.centre_x;
    link.centre_y = link.outer_y = body.centre_y;
    link.inner_x = to.x;
    link.inner_y = to.y;
    if (before < 0)
    {
      add_base(joint, from, slides);
    }
    else
    {
      chain_.links.back().outer_x = from.x;
      chain_.links.back().outer_y = from.y;
    }
    place_in_chain_[static_cast<std::size_t>(to.index)] = chain_.links.size();
    chain_.links.push_back(link);
    return to.index;
  }

  void add_base(const Joint & joint, const Anchor & from, bool slides)
  {
    chain_.sliding = slides;
    chain_.base_x = from.x;
    chain_.base_y = from.y;
    if (slides)
    {
      refuse(
        joint.x.parameter >= 0 || joint.y.parameter >= 0, "the axis of the sliding is a parameter");
      chain_.axis_length = std::hypot(joint.x.constant, joint.y.constant);
      refuse(!(chain_.axis_length > 0.0), "the axis of the sliding has no length");
      chain_.axis_x = joint.x.constant / chain_.axis_length;
      chain_.axis_y = joint.y.constant / chain_.axis_length;
      chain_.angle = joint.offset;
    }
  }

  std::size_t link_of(int body) const { return place_in_chain_[static_cast<std::size_t>(body)]; }

  int angle_before(std::size_t k) const { return k == 0 ? -1 : chain_.links[k - 1].first + 2; }

  void add_spring(const TorsionSpring & spring)
  {
    for (const int outer : {spring.b, spring.a})
    {
      if (outer < 0)
      {
        continue;
      }
      // Bodies have three coordinates each, and a chain has nothing else.
      const std::size_t k = link_of(outer / 3);
      const int inner = outer == spring.b ? spring.a : spring.b;
      if (inner == angle_before(k))
      {
        chain_.links[k].springs.push_back(
          {spring.stiffness, spring.rest_angle, spring.damping, spring.torque,
           outer == spring.b ? 1.0 : -1.0});
        return;
      }
    }
    refuse(true, "a torsion spring connects bodies that are not neighbours");
  }

  void add_friction(const Friction & friction)
  {
    refuse(
      friction.coulomb.parameter >= 0 || friction.coulomb.constant != 0.0,
      "Coulomb friction is not handled");
    chain_.links[link_of(friction.coordinate / 3)].frictions.push_back(
      {friction.coordinate % 3, friction.viscous});
  }

  const Mechanism & mechanism_;
  Chain chain_;
  std::vector<std::size_t> place_in_chain_;  ///< of each body
};

}  // namespace

Chain make_chain(const Mechanism & mechanism) { return ChainBuilder(mechanism).build(); }

std::string chain_obstacle(const Mechanism & mechanism)
{
  try
  {
    make_chain(mechanism);
    return "";
  }
  catch (const MechanismError & error)
  {
    return error.what();
  }
}

}  // namespace fivebar_control::multibody
