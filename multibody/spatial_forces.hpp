// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "fivebar_control/multibody/system.hpp"
#include "spatial_kinematics.hpp"

namespace fivebar_control::multibody
{

/// All applied forces of a spatial mechanism: what acts on each body, and on coordinates directly.
template <class S>
struct AppliedForces
{
  std::vector<Wrench<S>> on_body;
  Vector<S> on_coordinate;

  AppliedForces(
    const Mechanism & mechanism, const SpatialKinematics<S> & at, const Vector<S> & v,
    const Vector<S> & theta)
  : on_body(mechanism.space->bodies.size()),
    on_coordinate(Vector<S>::Constant(mechanism.coordinates, S(0.0)))
  {
    add_gravity(mechanism, at, theta);
    for (const Spring & spring : mechanism.springs)
    {
      add_spring(spring, at, theta);
    }
    for (const auto & spring : mechanism.space->torsion_springs)
    {
      add_torsion_spring(spring, at, theta);
    }
    for (const auto & motor : mechanism.space->motors)
    {
      const SpatialJoint & joint = at.parts().joints[static_cast<std::size_t>(motor.joint)];
      const S torque = motor.torque(at.measure_rate(joint, motor.component), theta);
      turn(joint, motor.component, -torque, at);
    }
    for (const Load & load : mechanism.loads)
    {
      push(load.at, at.place(load.at), {load.x.at(theta), load.y.at(theta), load.z.at(theta)});
    }
    for (const Friction & friction : mechanism.frictions)
    {
      on_coordinate(friction.coordinate) -= friction.force(v(friction.coordinate), theta);
    }
  }

private:
  void add_gravity(
    const Mechanism & mechanism, const SpatialKinematics<S> & at, const Vector<S> & theta)
  {
    const Space<S> gravity{
      mechanism.gravity_x.at(theta), mechanism.gravity_y.at(theta), mechanism.gravity_z.at(theta)};
    for (std::size_t i = 0; i < on_body.size(); ++i)
    {
      const SpatialBody & body = mechanism.space->bodies[i];
      const Space<S> weight = body.mass.at(theta) * gravity;
      const Space<S> centre = at.body(static_cast<int>(i)).place(space<S>(body.centre, theta));
      on_body[i] += {weight, cross(centre, weight)};
    }
  }
  void push(const Anchor & anchor, const Space<S> & place, const Space<S> & force)
  {
    if (anchor.kind == Anchor::Kind::body)
    {
      on_body[static_cast<std::size_t>(anchor.index)] += {force, cross(place, force)};
    }
  }
  void twist(const Anchor & anchor, const Space<S> & torque)
  {
    if (anchor.kind == Anchor::Kind::body)
    {
      on_body[static_cast<std::size_t>(anchor.index)].n += torque;
    }
  }
  void add_spring(const Spring & spring, const SpatialKinematics<S> & at, const Vector<S> & theta)
  {
    using std::sqrt;
    const Space<S> a = at.place(spring.a), b = at.place(spring.b);
    const Space<S> d = b - a;
    const S length = sqrt(dot(d, d));
    const S rate = dot(d, at.velocity(spring.b) - at.velocity(spring.a)) / length;
    const Space<S> pull = S(spring.tension(length, rate, theta) / length) * d;
    push(spring.a, a, pull);
    push(spring.b, b, -pull);
  }
  void add_torsion_spring(
    const SpatialParts::TorsionSpring & spring, const SpatialKinematics<S> & at,
    const Vector<S> & theta)
  {
    const SpatialJoint & joint = at.parts().joints[static_cast<std::size_t>(spring.joint)];
    const S rest = spring.rest_angle.at(theta);
    const S angle = at.measure(joint, spring.component, real_part(rest));
    const S torque = spring.stiffness.at(theta) * (angle - rest) +
                     spring.damping.at(theta) * at.measure_rate(joint, spring.component) +
                     spring.torque.at(theta);
    turn(joint, spring.component, torque, at);
  }
  /// A torque on side a, and its opposite on side b.
  void turn(
    const SpatialJoint & joint, int component, const S & torque, const SpatialKinematics<S> & at)
  {
    const Space<S> turning = torque * at.axis(joint, component);
    twist(joint.a, turning);
    twist(joint.b, -turning);
  }
};

}  // namespace fivebar_control::multibody
