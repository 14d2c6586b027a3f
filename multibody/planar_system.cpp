// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "drive_table.hpp"
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
  const Mechanism * mechanism() const override { return &mechanism_; }
  bool parameters_in_constraints() const override
  {
    return multibody::parameters_in_constraints(mechanism_);
  }

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
    add_forces(at, out);
  }

private:
  template <class S>
  void add_forces(const Point<S> & at, Terms<S> & out) const
  {
    for (const Spring & spring : mechanism_.springs)
    {
      add_spring(spring, at, out);
    }
    for (const TorsionSpring & spring : mechanism_.torsion_springs)
    {
      add_torsion_spring(spring, at, out);
    }
    for (const Friction & friction : mechanism_.frictions)
    {
      out.Q(friction.coordinate) -= friction.force(at.v(friction.coordinate), at.theta);
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

  /// With the centre at fraction s of the rod, T = m |(1-s) u + s w|^2 / 2 + J |w - u|^2 / (2 L^2)
  /// for end velocities u, w: a constant mass matrix. Constraint: squared length (Corner C.1).
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
    switch (joint.type)
    {
      case Joint::Type::gear:
        return add_gear(joint, at, row, out);
      case Joint::Type::drive:
        return add_drive(joint, at, row, out);
      case Joint::Type::revolute:
        return add_revolute(joint, at, row, out);
      case Joint::Type::line:
        return add_line(joint, at, row, out);
      case Joint::Type::prismatic:
        add_line(joint, at, row, out);
        return add_relative_angle(joint, at, row + 1, out);
    }
  }

  template <class S>
  void add_gear(const Joint & joint, const Point<S> & at, Eigen::Index row, Terms<S> & out) const
  {
    const int angle = mechanism_.bodies[static_cast<std::size_t>(joint.b.index)].first + 2;
    const S ratio = joint.ratio.at(at.theta);
    out.Phi(row) = at.q(joint.shaft) - ratio * at.q(angle) - joint.offset.at(at.theta);
    out.Phi_q(row, joint.shaft) = S(1.0);
    out.Phi_q(row, angle) = -ratio;
  }

  template <class S>
  void add_revolute(
    const Joint & joint, const Point<S> & at, Eigen::Index row, Terms<S> & out) const
  {
    const AnchorState<S> a = anchor_state(mechanism_, joint.a, at.q, at.v, at.theta);
    const AnchorState<S> b = anchor_state(mechanism_, joint.b, at.q, at.v, at.theta);
    const Plane<S> d = b.position - a.position;
    const Plane<S> x{S(1.0), S(0.0)}, y{S(0.0), S(1.0)}, nothing{S(0.0), S(0.0)};
    out.Phi(row) = d.x;
    out.Phi(row + 1) = d.y;
    add_row(b, x, nothing, 1.0, row, out);
    add_row(a, x, nothing, -1.0, row, out);
    add_row(b, y, nothing, 1.0, row + 1, out);
    add_row(a, y, nothing, -1.0, row + 1, out);
  }

  /// b - a has no component along the normal of the axis, which turns with body a.
  template <class S>
  void add_line(const Joint & joint, const Point<S> & at, Eigen::Index row, Terms<S> & out) const
  {
    using std::cos;
    using std::sin;
    const AnchorState<S> a = anchor_state(mechanism_, joint.a, at.q, at.v, at.theta);
    const AnchorState<S> b = anchor_state(mechanism_, joint.b, at.q, at.v, at.theta);
    const Plane<S> d = b.position - a.position;
    const Plane<S> d_rate = b.velocity - a.velocity;
    const S axis_x = joint.x.at(at.theta);
    const S axis_y = joint.y.at(at.theta);
    Plane<S> normal{-axis_y, axis_x};
    Plane<S> normal_rate{S(0.0), S(0.0)};
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
  }

  template <class S>
  void add_relative_angle(
    const Joint & joint, const Point<S> & at, Eigen::Index row, Terms<S> & out) const
  {
    const int turning = angle_of(joint.a);
    const int other = angle_of(joint.b);
    out.Phi(row) = -joint.offset.at(at.theta);
    if (other >= 0)
    {
      out.Phi(row) += at.q(other);
      out.Phi_q(row, other) = S(1.0);
    }
    if (turning >= 0)
    {
      out.Phi(row) -= at.q(turning);
      out.Phi_q(row, turning) = S(-1.0);
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
    const S tension = spring.tension(length, rate, at.theta) / length;
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

std::shared_ptr<const System> make_planar_system(Mechanism mechanism)
{
  return std::make_shared<PlanarSystem>(std::move(mechanism));
}

}  // namespace fivebar_control::multibody
