// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/mechanism.hpp"

#include <fmt/core.h>

#include "planar.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// Adds J^T F of a force on an anchor to the generalised forces.
template <class S>
void add_force(const AnchorState<S> & at, const Plane<S> & force, Vector<S> & Q)
{
  for (int k = 0; k < at.count; ++k)
  {
    Q(at.first + k) += dot(at.columns[static_cast<std::size_t>(k)], force);
  }
}

/// Adds `factor` * direction . (columns of the anchor) to a row of the Jacobian, and its rate.
template <class S>
void add_row(
  const AnchorState<S> & at, const Plane<S> & direction, const Plane<S> & direction_rate,
  double factor, Eigen::Index row, Terms<S> & terms)
{
  for (int k = 0; k < at.count; ++k)
  {
    const auto i = static_cast<std::size_t>(k);
    terms.Phi_q(row, at.first + k) += factor * dot(at.columns[i], direction);
    terms.Phi_q_rate(row, at.first + k) +=
      factor * (dot(at.column_rates[i], direction) + dot(at.columns[i], direction_rate));
  }
}

class PlanarSystem final : public SystemOf<PlanarSystem>
{
public:
  explicit PlanarSystem(Mechanism mechanism) : mechanism_(std::move(mechanism))
  {
    constraints_ = static_cast<int>(mechanism_.rods.size());
    for (const Joint & joint : mechanism_.joints)
    {
      constraints_ += joint.constraints();
    }
  }
  int coordinates() const override { return mechanism_.coordinates; }
  int constraints() const override { return constraints_; }
  int parameters() const override { return mechanism_.parameters; }

  template <class S>
  void terms(const Point<S> & at, Terms<S> & out) const
  {
    const Plane<S> gravity{mechanism_.gravity_x.at(at.theta), mechanism_.gravity_y.at(at.theta)};
    Eigen::Index row = 0;
    for (const Rod & rod : mechanism_.rods)
    {
      add_rod(rod, at, gravity, row++, out);
    }
    for (const Body & body : mechanism_.bodies)
    {
      const S mass = body.mass.at(at.theta);
      out.M(body.first, body.first) += mass;
      out.M(body.first + 1, body.first + 1) += mass;
      out.M(body.first + 2, body.first + 2) += body.inertia.at(at.theta);
      out.Q(body.first) += mass * gravity.x;
      out.Q(body.first + 1) += mass * gravity.y;
    }
    for (const Shaft & shaft : mechanism_.shafts)
    {
      out.M(shaft.coordinate, shaft.coordinate) += shaft.inertia.at(at.theta);
    }
    for (const Joint & joint : mechanism_.joints)
    {
      add_joint(joint, at, row, out);
      row += joint.constraints();
    }
    for (const Spring & spring : mechanism_.springs)
    {
      add_spring(spring, at, out);
    }
    for (const TorsionSpring & spring : mechanism_.torsion_springs)
    {
      add_torsion_spring(spring, at, out);
    }
    for (const AngleFriction & friction : mechanism_.frictions)
    {
      using std::tanh;
      const S speed = at.v(friction.coordinate);
      out.Q(friction.coordinate) -=
        friction.viscous.at(at.theta) * speed +
        friction.coulomb.at(at.theta) * tanh(speed / friction.width.at(at.theta));
    }
    for (const Load & load : mechanism_.loads)
    {
      const AnchorState<S> anchor = anchor_state(mechanism_, load.at, at.q, at.v, at.theta);
      add_force(anchor, {load.x.at(at.theta), load.y.at(at.theta)}, out.Q);
    }
    for (const Motor & motor : mechanism_.motors)
    {
      const S speed = at.v(motor.shaft);
      out.Q(motor.shaft) += motor.torque_constant.at(at.theta) *
                              (motor.voltage.at(at.theta) - motor.back_emf.at(at.theta) * speed) /
                              motor.resistance.at(at.theta) -
                            motor.friction.at(at.theta) * speed;
    }
  }

private:
  /// With the centre at fraction s of the rod, T = m |(1-s) u + s w|^2 / 2 + J |w - u|^2 / (2 L^2)
  /// for end velocities u, w: a constant mass matrix. Constraint: squared length (004: C.1).
  template <class S>
  void add_rod(
    const Rod & rod, const Point<S> & at, const Plane<S> & gravity, Eigen::Index row,
    Terms<S> & out) const
  {
    const AnchorState<S> from = anchor_state(mechanism_, rod.from, at.q, at.v, at.theta);
    const AnchorState<S> to = anchor_state(mechanism_, rod.to, at.q, at.v, at.theta);
    const S mass = rod.mass.at(at.theta);
    const S length = rod.length.at(at.theta);
    const S fraction = rod.uniform ? S(0.5) : S(rod.centre.at(at.theta) / length);
    const S turning =
      rod.uniform ? S(mass * (1.0 / 12.0)) : S(rod.inertia.at(at.theta) / (length * length));
    const S rest = 1.0 - fraction;
    const S near = mass * rest * rest + turning;
    const S mixed = mass * rest * fraction - turning;
    const S far = mass * fraction * fraction + turning;
    for (int axis = 0; axis < 2; ++axis)
    {
      const S pull = axis == 0 ? gravity.x : gravity.y;
      if (from.count > 0)
      {
        out.M(from.first + axis, from.first + axis) += near;
        out.Q(from.first + axis) += mass * rest * pull;
      }
      if (to.count > 0)
      {
        out.M(to.first + axis, to.first + axis) += far;
        out.Q(to.first + axis) += mass * fraction * pull;
      }
      if (from.count > 0 && to.count > 0)
      {
        out.M(from.first + axis, to.first + axis) += mixed;
        out.M(to.first + axis, from.first + axis) += mixed;
      }
    }
    const Plane<S> d = to.position - from.position;
    const Plane<S> d_rate = to.velocity - from.velocity;
    out.Phi(row) = dot(d, d) - length * length;
    add_row(to, d, d_rate, 2.0, row, out);
    add_row(from, d, d_rate, -2.0, row, out);
  }

  template <class S>
  void add_joint(const Joint & joint, const Point<S> & at, Eigen::Index row, Terms<S> & out) const
  {
    using std::cos;
    using std::sin;
    if (joint.type == Joint::Type::gear)
    {
      const int angle = mechanism_.bodies[static_cast<std::size_t>(joint.b.index)].first + 2;
      const S ratio = joint.ratio.at(at.theta);
      out.Phi(row) = at.q(joint.shaft) - ratio * at.q(angle) - joint.offset.at(at.theta);
      out.Phi_q(row, joint.shaft) = S(1.0);
      out.Phi_q(row, angle) = -ratio;
      return;
    }
    if (joint.type == Joint::Type::drive)
    {
      const S rate = joint.ratio.at(at.theta);
      out.Phi(row) = at.q(joint.shaft) - joint.offset.at(at.theta) - rate * at.t;
      out.Phi_q(row, joint.shaft) = S(1.0);
      out.Phi_t(row) = -rate;
      return;
    }
    const AnchorState<S> a = anchor_state(mechanism_, joint.a, at.q, at.v, at.theta);
    const AnchorState<S> b = anchor_state(mechanism_, joint.b, at.q, at.v, at.theta);
    const Plane<S> d = b.position - a.position;
    const Plane<S> d_rate = b.velocity - a.velocity;
    const Plane<S> nothing{S(0.0), S(0.0)};
    if (joint.type == Joint::Type::revolute)
    {
      const Plane<S> x{S(1.0), S(0.0)}, y{S(0.0), S(1.0)};
      out.Phi(row) = d.x;
      out.Phi(row + 1) = d.y;
      add_row(b, x, nothing, 1.0, row, out);
      add_row(a, x, nothing, -1.0, row, out);
      add_row(b, y, nothing, 1.0, row + 1, out);
      add_row(a, y, nothing, -1.0, row + 1, out);
      return;
    }
    // The normal of the axis, turning with body a.
    const S axis_x = joint.x.at(at.theta);
    const S axis_y = joint.y.at(at.theta);
    Plane<S> normal{-axis_y, axis_x};
    Plane<S> normal_rate = nothing;
    const int turning = angle_of(joint.a);
    if (turning >= 0)
    {
      const S c = cos(at.q(turning)), s = sin(at.q(turning));
      normal = {-(c * axis_y) - s * axis_x, c * axis_x - s * axis_y};
      normal_rate = {-(normal.y * at.v(turning)), normal.x * at.v(turning)};
    }
    out.Phi(row) = dot(normal, d);
    add_row(b, normal, normal_rate, 1.0, row, out);
    add_row(a, normal, normal_rate, -1.0, row, out);
    if (turning >= 0)
    {
      // d(normal)/d(angle) . d, with d(normal)/d(angle) = (-n_y, n_x).
      const Plane<S> turned{-normal.y, normal.x};
      const Plane<S> turned_rate{-normal_rate.y, normal_rate.x};
      out.Phi_q(row, turning) += dot(turned, d);
      out.Phi_q_rate(row, turning) += dot(turned_rate, d) + dot(turned, d_rate);
    }
    if (joint.type == Joint::Type::prismatic)
    {
      const int other = angle_of(joint.b);
      out.Phi(row + 1) = -joint.offset.at(at.theta);
      if (other >= 0)
      {
        out.Phi(row + 1) += at.q(other);
        out.Phi_q(row + 1, other) = S(1.0);
      }
      if (turning >= 0)
      {
        out.Phi(row + 1) -= at.q(turning);
        out.Phi_q(row + 1, turning) = S(-1.0);
      }
    }
  }

  int angle_of(const Anchor & anchor) const
  {
    return anchor.kind == Anchor::Kind::body
             ? mechanism_.bodies[static_cast<std::size_t>(anchor.index)].first + 2
             : -1;
  }

  template <class S>
  void add_spring(const Spring & spring, const Point<S> & at, Terms<S> & out) const
  {
    using std::sqrt;
    const AnchorState<S> a = anchor_state(mechanism_, spring.a, at.q, at.v, at.theta);
    const AnchorState<S> b = anchor_state(mechanism_, spring.b, at.q, at.v, at.theta);
    const Plane<S> d = b.position - a.position;
    const S length = sqrt(dot(d, d));
    const S rate = dot(d, b.velocity - a.velocity) / length;
    const S tension = (spring.stiffness.at(at.theta) * (length - spring.rest_length.at(at.theta)) +
                       spring.damping.at(at.theta) * rate + spring.force.at(at.theta)) /
                      length;
    add_force(a, {tension * d.x, tension * d.y}, out.Q);
    add_force(b, {-(tension * d.x), -(tension * d.y)}, out.Q);
  }

  template <class S>
  void add_torsion_spring(const TorsionSpring & spring, const Point<S> & at, Terms<S> & out) const
  {
    S angle = -spring.rest_angle.at(at.theta);
    S rate(0.0);
    if (spring.b >= 0)
    {
      angle += at.q(spring.b);
      rate += at.v(spring.b);
    }
    if (spring.a >= 0)
    {
      angle -= at.q(spring.a);
      rate -= at.v(spring.a);
    }
    const S torque = spring.stiffness.at(at.theta) * angle + spring.damping.at(at.theta) * rate +
                     spring.torque.at(at.theta);
    if (spring.a >= 0)
    {
      out.Q(spring.a) += torque;
    }
    if (spring.b >= 0)
    {
      out.Q(spring.b) -= torque;
    }
  }

  Mechanism mechanism_;
  int constraints_ = 0;
};

}  // namespace

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

std::shared_ptr<const System> make_system(Mechanism mechanism)
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
  auto system = std::make_shared<PlanarSystem>(std::move(mechanism));
  if (system->freedom() < 0)
  {
    throw MechanismError(fmt::format(
      "{} constraints on {} coordinates: the constraints are redundant or contradict each other",
      system->constraints(), system->coordinates()));
  }
  if (system->freedom() == 0)
  {
    throw MechanismError(fmt::format(
      "{} constraints on {} coordinates: nothing can move", system->constraints(),
      system->coordinates()));
  }
  return system;
}

}  // namespace fivebar_control::multibody
