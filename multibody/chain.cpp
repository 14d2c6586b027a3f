// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/chain.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace fivebar_control::multibody
{
namespace
{

class ChainBuilder
{
public:
  explicit ChainBuilder(const Mechanism & mechanism) : mechanism_(mechanism) {}

  Chain build()
  {
    refuse(!mechanism_.rods.empty(), "it has rods; only bodies can form a chain");
    refuse(!mechanism_.shafts.empty() || !mechanism_.motors.empty(), "it has shafts");
    refuse(!mechanism_.springs.empty(), "it has springs between points");
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
      chain_.loads.push_back({link_of(load.at.index), load.at.x, load.at.y, load.x, load.y});
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
    std::vector<bool> used(mechanism_.joints.size(), false);
    int before = -1;  // the ground
    for (std::size_t k = 0; k < mechanism_.bodies.size(); ++k)
    {
      int found = -1, row = 0, row_found = 0;
      for (std::size_t j = 0; j < mechanism_.joints.size(); ++j)
      {
        const Joint & joint = mechanism_.joints[j];
        if (!used[j] && (is_on(joint.a, before) || is_on(joint.b, before)))
        {
          refuse(found >= 0, "it has branches");
          found = static_cast<int>(j);
          row_found = row;
        }
        row += joint.constraints();
      }
      refuse(found < 0, "some bodies are not connected to the ground");
      used[static_cast<std::size_t>(found)] = true;
      before = add_link(mechanism_.joints[static_cast<std::size_t>(found)], before, row_found);
    }
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
    order_.push_back(to.index);
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

  int link_of(int body) const
  {
    const auto found = std::find(order_.begin(), order_.end(), body);
    return static_cast<int>(found - order_.begin());
  }

  int angle_before(std::size_t k) const { return k == 0 ? -1 : chain_.links[k - 1].first + 2; }

  void add_spring(const TorsionSpring & spring)
  {
    for (std::size_t k = 0; k < chain_.links.size(); ++k)
    {
      const int angle = chain_.links[k].first + 2;
      const bool forward = spring.b == angle && spring.a == angle_before(k);
      if (forward || (spring.a == angle && spring.b == angle_before(k)))
      {
        chain_.links[k].springs.push_back(
          {spring.stiffness, spring.rest_angle, spring.damping, spring.torque,
           forward ? 1.0 : -1.0});
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
    for (std::size_t k = 0; k < chain_.links.size(); ++k)
    {
      const int component = friction.coordinate - chain_.links[k].first;
      if (component >= 0 && component < 3)
      {
        chain_.frictions.push_back({static_cast<int>(k), component, friction.viscous});
      }
    }
  }

  const Mechanism & mechanism_;
  Chain chain_;
  std::vector<int> order_;  ///< bodies from the ground outwards
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
