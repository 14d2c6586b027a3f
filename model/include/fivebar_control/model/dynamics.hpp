// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "fivebar_control/model/kinematics.hpp"
#include "fivebar_control/model/parameters.hpp"

namespace fivebar_control
{

// Minimal coordinates q = (phi1, phi4), state x = (phi1, phi4, w1, w4), input u = (V1, V4).
// M(q) q'' + b(q, q') = tau(q', u). docs/model.md derives the formulas; all functions are templates
// on the scalar, so that double, std::complex<double>, dual numbers and SIMD packs run these lines.

/// The physical parameters, lumped into what the equations of motion need.
template <class S>
struct DynamicsConstants
{
  Geometry<S> geometry;
  S inertia_1, inertia_2, inertia_3, inertia_4;  ///< kg m², see lump()
  Vector2<S> coupling_2, coupling_3;             ///< kg m², of a driven link with its distal link
  Vector2<S> moment_1, moment_2, moment_3, moment_4;  ///< kg m, for gravity, in link frames
  Vector2<S> gravity;                                 ///< m/s²
  Vector2<S> torque_gain;                             ///< N m/V at the link
  Vector2<S> damping;  ///< N m s/rad at the link: back-EMF, rotor friction, viscous friction
  Vector2<S> coulomb;  ///< N m
  Vector2<S> inverse_coulomb_velocity;  ///< s/rad
  bool has_gravity = false;
  bool has_coulomb = false;
};

template <class S>
DynamicsConstants<S> lump(const Physics<S> & p, AssemblyMode mode)
{
  DynamicsConstants<S> c;
  c.geometry = geometry_of(p, mode);
  const auto about_joint = [](const Link<S> & link) -> S {
    return link.inertia + link.mass * dot<S>(link.center, link.center);
  };
  const auto rotor = [](const Motor<S> & m) -> S {
    return m.gear_ratio * m.gear_ratio * m.rotor_inertia;
  };
  const Link<S> & link1 = p.links[0];
  const Link<S> & link2 = p.links[1];
  const Link<S> & link3 = p.links[2];
  const Link<S> & link4 = p.links[3];
  c.inertia_1 = about_joint(link1) + link2.mass * link1.length * link1.length + rotor(p.motors[0]);
  c.inertia_2 = about_joint(link2);
  c.inertia_3 = about_joint(link3);
  c.inertia_4 = about_joint(link4) + link3.mass * link4.length * link4.length + rotor(p.motors[1]);
  c.coupling_2 = (link2.mass * link1.length) * link2.center;
  c.coupling_3 = (link3.mass * link4.length) * link3.center;
  c.moment_1 = link1.mass * link1.center + Vector2<S>(link2.mass * link1.length, S(0.0));
  c.moment_2 = link2.mass * link2.center;
  c.moment_3 = link3.mass * link3.center;
  c.moment_4 = link4.mass * link4.center + Vector2<S>(link3.mass * link4.length, S(0.0));
  c.gravity = p.gravity;
  for (int i = 0; i < 2; ++i)
  {
    const Motor<S> & m = p.motors[static_cast<std::size_t>(i)];
    const Friction<S> & f = p.friction[static_cast<std::size_t>(i)];
    c.torque_gain[i] = m.gear_ratio * m.torque_constant / m.resistance;
    c.damping[i] = m.gear_ratio * m.gear_ratio *
                     (m.torque_constant * m.back_emf_constant / m.resistance + m.damping) +
                   f.viscous;
    c.coulomb[i] = f.coulomb;
    c.inverse_coulomb_velocity[i] = S(1.0) / f.coulomb_velocity;
    c.has_coulomb = c.has_coulomb || f.coulomb != S(0.0);
    c.has_gravity = c.has_gravity || p.gravity[i] != S(0.0);
  }
  return c;
}

/// Pose-dependent terms that mass matrix, bias and their derivatives share.
template <class S>
struct Terms
{
  Pose<S> pose;
  S s12, s13, s42, s43, c12, c13, c42, c43, c23;
  S a, b, c, d;        ///< w2 = a w1 + b w4, w3 = c w1 + d w4
  S h2, h3, dh2, dh3;  ///< inertial coupling and its derivative by the angle between the links
  S m11, m14, m44;     ///< mass matrix
};

template <class S>
inline Terms<S> terms_at(const DynamicsConstants<S> & k, const Pose<S> & pose)
{
  const Geometry<S> & g = k.geometry;
  Terms<S> t;
  t.pose = pose;
  t.s12 = cross<S>(pose.e1, pose.e2);
  t.s13 = cross<S>(pose.e1, pose.e3);
  t.s42 = cross<S>(pose.e4, pose.e2);
  t.s43 = cross<S>(pose.e4, pose.e3);
  t.c12 = dot<S>(pose.e1, pose.e2);
  t.c13 = dot<S>(pose.e1, pose.e3);
  t.c42 = dot<S>(pose.e4, pose.e2);
  t.c43 = dot<S>(pose.e4, pose.e3);
  t.c23 = dot<S>(pose.e2, pose.e3);
  const S inverse = S(1.0) / (g.l2 * g.l3 * pose.s23);
  const S i2 = g.l3 * inverse;  // 1 / (l2 s23)
  const S i3 = g.l2 * inverse;  // 1 / (l3 s23)
  t.a = -g.l1 * t.s13 * i2;
  t.b = g.l4 * t.s43 * i2;
  t.c = -g.l1 * t.s12 * i3;
  t.d = g.l4 * t.s42 * i3;
  t.h2 = k.coupling_2[0] * t.c12 - k.coupling_2[1] * t.s12;
  t.dh2 = -(k.coupling_2[0] * t.s12 + k.coupling_2[1] * t.c12);
  t.h3 = k.coupling_3[0] * t.c43 - k.coupling_3[1] * t.s43;
  t.dh3 = -(k.coupling_3[0] * t.s43 + k.coupling_3[1] * t.c43);
  t.m11 = k.inertia_1 + t.a * (k.inertia_2 * t.a + S(2.0) * t.h2) + k.inertia_3 * t.c * t.c;
  t.m14 = t.b * (k.inertia_2 * t.a + t.h2) + t.c * (k.inertia_3 * t.d + t.h3);
  t.m44 = k.inertia_4 + t.d * (k.inertia_3 * t.d + S(2.0) * t.h3) + k.inertia_2 * t.b * t.b;
  return t;
}

template <class S>
inline Terms<S> terms_at(const DynamicsConstants<S> & k, const S & phi1, const S & phi4)
{
  return terms_at<S>(k, pose_at<S>(k.geometry, phi1, phi4));
}

/// Generalised gravity force of a link whose frame has direction e: g . d(centre)/d(angle) * mass.
template <class S>
inline S gravity_moment(const Vector2<S> & moment, const Vector2<S> & e, const Vector2<S> & gravity)
{
  return moment[0] * (gravity[1] * e[0] - gravity[0] * e[1]) -
         moment[1] * (gravity[0] * e[0] + gravity[1] * e[1]);
}

/// b(q, q') of the equations of motion: Coriolis and centrifugal forces, and minus gravity.
template <class S>
inline Vector2<S> bias_force(
  const DynamicsConstants<S> & k, const Terms<S> & t, const S & w1, const S & w4)
{
  const Geometry<S> & g = k.geometry;
  const S w2 = t.a * w1 + t.b * w4;
  const S w3 = t.c * w1 + t.d * w4;
  const S w11 = w1 * w1;
  const S w22 = w2 * w2;
  const S w33 = w3 * w3;
  const S w44 = w4 * w4;
  const S inverse = S(1.0) / (g.l2 * g.l3 * t.pose.s23);
  const S q1 = g.l1 * w11;
  const S q2 = g.l2 * w22;
  const S q3 = g.l3 * w33;
  const S q4 = g.l4 * w44;
  const S gamma2 = (q1 * t.c13 + q2 * t.c23 - q4 * t.c43 - q3) * (g.l3 * inverse);
  const S gamma3 = (q1 * t.c12 + q2 - q4 * t.c42 - q3 * t.c23) * (g.l2 * inverse);
  S t2 = k.inertia_2 * gamma2 - t.dh2 * w11;
  S t3 = k.inertia_3 * gamma3 - t.dh3 * w44;
  S b1 = t.h2 * gamma2 + t.dh2 * w22;
  S b4 = t.h3 * gamma3 + t.dh3 * w33;
  if (k.has_gravity)
  {
    t2 -= gravity_moment<S>(k.moment_2, t.pose.e2, k.gravity);
    t3 -= gravity_moment<S>(k.moment_3, t.pose.e3, k.gravity);
    b1 -= gravity_moment<S>(k.moment_1, t.pose.e1, k.gravity);
    b4 -= gravity_moment<S>(k.moment_4, t.pose.e4, k.gravity);
  }
  return {b1 + t.a * t2 + t.c * t3, b4 + t.b * t2 + t.d * t3};
}

/// Torque of motor and friction at driven link i (0 or 1) at link speed w and voltage u.
template <class S>
inline S drive_torque(const DynamicsConstants<S> & k, int i, const S & w, const S & u)
{
  using std::tanh;
  S torque = k.torque_gain[i] * u - k.damping[i] * w;
  if (k.has_coulomb)
  {
    torque -= k.coulomb[i] * tanh(w * k.inverse_coulomb_velocity[i]);
  }
  return torque;
}

/// Solves the 2 x 2 system M y = r with the mass matrix of the terms.
template <class S>
inline Vector2<S> solve_mass(const Terms<S> & t, const S & r1, const S & r4)
{
  const S inverse = S(1.0) / (t.m11 * t.m44 - t.m14 * t.m14);
  return {(t.m44 * r1 - t.m14 * r4) * inverse, (t.m11 * r4 - t.m14 * r1) * inverse};
}

/// Accelerations of the driven links.
template <class S>
inline Vector2<S> forward_dynamics(
  const DynamicsConstants<S> & k, const Vector4<S> & x, const Vector2<S> & u)
{
  const Terms<S> t = terms_at<S>(k, x[0], x[1]);
  const Vector2<S> b = bias_force<S>(k, t, x[2], x[3]);
  return solve_mass<S>(
    t, drive_torque<S>(k, 0, x[2], u[0]) - b[0], drive_torque<S>(k, 1, x[3], u[1]) - b[1]);
}

/// dx/dt = f(x, u).
template <class S>
inline Vector4<S> state_derivative(
  const DynamicsConstants<S> & k, const Vector4<S> & x, const Vector2<S> & u)
{
  const Vector2<S> a = forward_dynamics<S>(k, x, u);
  return {x[2], x[3], a[0], a[1]};
}

template <class S>
inline Matrix2<S> mass_matrix(const DynamicsConstants<S> & k, const S & phi1, const S & phi4)
{
  const Terms<S> t = terms_at<S>(k, phi1, phi4);
  Matrix2<S> m;
  m << t.m11, t.m14, t.m14, t.m44;
  return m;
}

/// Voltages that produce the accelerations `a` in the state x.
template <class S>
inline Vector2<S> inverse_dynamics(
  const DynamicsConstants<S> & k, const Vector4<S> & x, const Vector2<S> & a)
{
  const Terms<S> t = terms_at<S>(k, x[0], x[1]);
  const Vector2<S> b = bias_force<S>(k, t, x[2], x[3]);
  const S passive1 = drive_torque<S>(k, 0, x[2], S(0.0));
  const S passive4 = drive_torque<S>(k, 1, x[3], S(0.0));
  return {
    (t.m11 * a[0] + t.m14 * a[1] + b[0] - passive1) / k.torque_gain[0],
    (t.m14 * a[0] + t.m44 * a[1] + b[1] - passive4) / k.torque_gain[1]};
}

/// Kinetic energy of links and rotors.
template <class S>
inline S kinetic_energy(const DynamicsConstants<S> & k, const Vector4<S> & x)
{
  const Terms<S> t = terms_at<S>(k, x[0], x[1]);
  return S(0.5) * (t.m11 * x[2] * x[2] + t.m44 * x[3] * x[3]) + t.m14 * x[2] * x[3];
}

/// Potential energy in the plane's gravity, zero if all centres of mass were at the pivots.
template <class S>
inline S potential_energy(const DynamicsConstants<S> & k, const Vector4<S> & x)
{
  const Pose<S> p = pose_at<S>(k.geometry, x[0], x[1]);
  // A link frame's (along, across) to the plane's axes.
  const auto along_gravity = [&](const Vector2<S> & m, const Vector2<S> & e) -> S {
    return k.gravity[0] * (m[0] * e[0] - m[1] * e[1]) + k.gravity[1] * (m[0] * e[1] + m[1] * e[0]);
  };
  return -(
    along_gravity(k.moment_1, p.e1) + along_gravity(k.moment_2, p.e2) +
    along_gravity(k.moment_3, p.e3) + along_gravity(k.moment_4, p.e4));
}

/// Conjugate momenta p = M(q) q' (Hamiltonian form, Maciąg eq. 3.27a in minimal coordinates).
template <class S>
inline Vector2<S> momenta(const DynamicsConstants<S> & k, const Vector4<S> & x)
{
  const Terms<S> t = terms_at<S>(k, x[0], x[1]);
  return {t.m11 * x[2] + t.m14 * x[3], t.m14 * x[2] + t.m44 * x[3]};
}

/// Hamiltonian state y = (phi1, phi4, p1, p4) to x = (phi1, phi4, w1, w4).
template <class S>
inline Vector4<S> state_from_momenta(const DynamicsConstants<S> & k, const Vector4<S> & y)
{
  const Terms<S> t = terms_at<S>(k, y[0], y[1]);
  const Vector2<S> w = solve_mass<S>(t, y[2], y[3]);
  return {y[0], y[1], w[0], w[1]};
}

}  // namespace fivebar_control
