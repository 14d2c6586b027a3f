// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/model/dynamics.hpp"

namespace fivebar_control
{

// Analytic derivatives of the accelerations. With the residual of inverse dynamics
// r(q, q', a, p) = M a + b - tau = 0 at the acceleration a, da/dz = -M^-1 dr/dz for every z.
// docs/model.md, "Derivatives".

/// Accelerations with their derivatives by x = (phi1, phi4, w1, w4) and u = (V1, V4).
template <class S>
struct AccelerationJacobian
{
  Vector2<S> acceleration;
  Eigen::Matrix<S, 2, 4> by_state;
  Matrix2<S> by_input;
};

/// A change of the pose: of the four link angles and, for parameters, of the four lengths.
template <class S>
struct PoseDirection
{
  S d1, d2, d3, d4;          ///< rad
  S l1{}, l2{}, l3{}, l4{};  ///< m
};

/// Velocities, accelerations and intermediate forces of one evaluation of the residual.
template <class S>
struct ResidualState
{
  S w1, w2, w3, w4, w11, w22, w33, w44;
  S a1, a2, a3, a4;  ///< accelerations of the links
  S gamma2, gamma3;  ///< passive accelerations at zero driven acceleration
  S t2, t3;          ///< forces of the distal links on their own coordinates
  S i2, i3;          ///< 1 / (l2 s23), 1 / (l3 s23)
};

template <class S>
inline ResidualState<S> residual_state(
  const DynamicsConstants<S> & k, const Terms<S> & t, const S & w1, const S & w4,
  const Vector2<S> & acceleration)
{
  const Geometry<S> & g = k.geometry;
  ResidualState<S> s;
  s.w1 = w1;
  s.w4 = w4;
  s.w2 = t.a * w1 + t.b * w4;
  s.w3 = t.c * w1 + t.d * w4;
  s.w11 = w1 * w1;
  s.w22 = s.w2 * s.w2;
  s.w33 = s.w3 * s.w3;
  s.w44 = w4 * w4;
  const S inverse = S(1.0) / (g.l2 * g.l3 * t.pose.s23);
  s.i2 = g.l3 * inverse;
  s.i3 = g.l2 * inverse;
  const S q1 = g.l1 * s.w11;
  const S q2 = g.l2 * s.w22;
  const S q3 = g.l3 * s.w33;
  const S q4 = g.l4 * s.w44;
  s.gamma2 = (q1 * t.c13 + q2 * t.c23 - q4 * t.c43 - q3) * s.i2;
  s.gamma3 = (q1 * t.c12 + q2 - q4 * t.c42 - q3 * t.c23) * s.i3;
  s.a1 = acceleration[0];
  s.a4 = acceleration[1];
  s.a2 = t.a * s.a1 + t.b * s.a4 + s.gamma2;
  s.a3 = t.c * s.a1 + t.d * s.a4 + s.gamma3;
  s.t2 = k.inertia_2 * s.a2 + t.h2 * s.a1 - t.dh2 * s.w11;
  s.t3 = k.inertia_3 * s.a3 + t.h3 * s.a4 - t.dh3 * s.w44;
  if (k.has_gravity)
  {
    s.t2 -= gravity_moment<S>(k.moment_2, t.pose.e2, k.gravity);
    s.t3 -= gravity_moment<S>(k.moment_3, t.pose.e3, k.gravity);
  }
  return s;
}

/// Derivative of the passive velocity map (a, b; c, d) along a direction.
template <class S>
struct MapTangent
{
  S a, b, c, d;
};

template <bool with_lengths, class S>
inline MapTangent<S> map_tangent(
  const Geometry<S> & g, const Terms<S> & t, const S & i2, const S & i3, const PoseDirection<S> & v)
{
  const S ratio = t.c23 * (v.d3 - v.d2) / t.pose.s23;
  MapTangent<S> m{
    -g.l1 * t.c13 * (v.d3 - v.d1) * i2 - t.a * ratio,
    g.l4 * t.c43 * (v.d3 - v.d4) * i2 - t.b * ratio,
    -g.l1 * t.c12 * (v.d2 - v.d1) * i3 - t.c * ratio,
    g.l4 * t.c42 * (v.d2 - v.d4) * i3 - t.d * ratio};
  if constexpr (with_lengths)
  {
    m.a += t.a * (v.l1 / g.l1 - v.l2 / g.l2);
    m.b += t.b * (v.l4 / g.l4 - v.l2 / g.l2);
    m.c += t.c * (v.l1 / g.l1 - v.l3 / g.l3);
    m.d += t.d * (v.l4 / g.l4 - v.l3 / g.l3);
  }
  return m;
}

/// Derivative of gravity_moment() by the angle of its link.
template <class S>
inline S gravity_moment_by_angle(
  const Vector2<S> & moment, const Vector2<S> & e, const Vector2<S> & gravity)
{
  return -(
    moment[0] * (gravity[0] * e[0] + gravity[1] * e[1]) +
    moment[1] * (gravity[1] * e[0] - gravity[0] * e[1]));
}

/// dr along a direction of the pose, at fixed velocities and accelerations of the driven links and
/// fixed lumped inertias.
template <bool with_lengths, class S>
inline Vector2<S> residual_by_pose(
  const DynamicsConstants<S> & k, const Terms<S> & t, const ResidualState<S> & s,
  const PoseDirection<S> & v)
{
  const Geometry<S> & g = k.geometry;
  const MapTangent<S> m = map_tangent<with_lengths, S>(g, t, s.i2, s.i3, v);
  const S v12 = v.d2 - v.d1;
  const S v43 = v.d3 - v.d4;
  const S v23 = v.d3 - v.d2;
  const S ratio = t.c23 * v23 / t.pose.s23;
  const S w2w2 = g.l2 * s.w2 * (m.a * s.w1 + m.b * s.w4);  // l2 w2 dw2
  const S w3w3 = g.l3 * s.w3 * (m.c * s.w1 + m.d * s.w4);  // l3 w3 dw3
  const S q1 = g.l1 * s.w11;
  const S q4 = g.l4 * s.w44;
  S gamma2 = (-q1 * t.s13 * (v.d3 - v.d1) - g.l2 * s.w22 * t.pose.s23 * v23 + q4 * t.s43 * v43 +
              S(2.0) * (t.c23 * w2w2 - w3w3)) *
               s.i2 -
             s.gamma2 * ratio;
  S gamma3 = (-q1 * t.s12 * v12 + g.l3 * s.w33 * t.pose.s23 * v23 + q4 * t.s42 * (v.d2 - v.d4) +
              S(2.0) * (w2w2 - t.c23 * w3w3)) *
               s.i3 -
             s.gamma3 * ratio;
  if constexpr (with_lengths)
  {
    gamma2 +=
      (v.l1 * s.w11 * t.c13 + v.l2 * s.w22 * t.c23 - v.l4 * s.w44 * t.c43 - v.l3 * s.w33) * s.i2 -
      s.gamma2 * v.l2 / g.l2;
    gamma3 +=
      (v.l1 * s.w11 * t.c12 + v.l2 * s.w22 - v.l4 * s.w44 * t.c42 - v.l3 * s.w33 * t.c23) * s.i3 -
      s.gamma3 * v.l3 / g.l3;
  }
  const S a2 = m.a * s.a1 + m.b * s.a4 + gamma2;
  const S a3 = m.c * s.a1 + m.d * s.a4 + gamma3;
  const S h2 = t.dh2 * v12;
  const S h3 = t.dh3 * v43;
  S t2 = k.inertia_2 * a2 + h2 * s.a1 + t.h2 * v12 * s.w11;
  S t3 = k.inertia_3 * a3 + h3 * s.a4 + t.h3 * v43 * s.w44;
  S r1 = h2 * s.a2 + t.h2 * (a2 - v12 * s.w22) + S(2.0) * t.dh2 * s.w2 * (m.a * s.w1 + m.b * s.w4);
  S r4 = h3 * s.a3 + t.h3 * (a3 - v43 * s.w33) + S(2.0) * t.dh3 * s.w3 * (m.c * s.w1 + m.d * s.w4);
  if (k.has_gravity)
  {
    const Pose<S> & p = t.pose;
    t2 -= v.d2 * gravity_moment_by_angle<S>(k.moment_2, p.e2, k.gravity);
    t3 -= v.d3 * gravity_moment_by_angle<S>(k.moment_3, p.e3, k.gravity);
    r1 -= v.d1 * gravity_moment_by_angle<S>(k.moment_1, p.e1, k.gravity);
    r4 -= v.d4 * gravity_moment_by_angle<S>(k.moment_4, p.e4, k.gravity);
  }
  return {
    r1 + m.a * s.t2 + t.a * t2 + m.c * s.t3 + t.c * t3,
    r4 + m.b * s.t2 + t.b * t2 + m.d * s.t3 + t.d * t3};
}

/// The direction of the pose that moving driven link 1 (or 4) by one radian is.
template <class S>
inline PoseDirection<S> along_phi1(const Terms<S> & t)
{
  return {S(1.0), t.a, t.c, S(0.0)};
}

template <class S>
inline PoseDirection<S> along_phi4(const Terms<S> & t)
{
  return {S(0.0), t.b, t.d, S(1.0)};
}

/// Derivative of the drive's resisting torque by speed.
template <class S>
inline S drive_resistance(const DynamicsConstants<S> & k, int i, const S & w)
{
  using std::tanh;
  S resistance = k.damping[i];
  if (k.has_coulomb)
  {
    const S slope = tanh(w * k.inverse_coulomb_velocity[i]);
    resistance += k.coulomb[i] * k.inverse_coulomb_velocity[i] * (S(1.0) - slope * slope);
  }
  return resistance;
}

/// Accelerations and their Jacobians by state and input, from the terms of the pose.
template <class S>
inline AccelerationJacobian<S> linearize_terms(
  const DynamicsConstants<S> & k, const Terms<S> & t, const S & w1, const S & w4,
  const Vector2<S> & u)
{
  const Geometry<S> & g = k.geometry;
  AccelerationJacobian<S> result;
  const Vector2<S> b = bias_force<S>(k, t, w1, w4);
  result.acceleration = solve_mass<S>(
    t, drive_torque<S>(k, 0, w1, u[0]) - b[0], drive_torque<S>(k, 1, w4, u[1]) - b[1]);
  const ResidualState<S> s = residual_state<S>(k, t, w1, w4, result.acceleration);

  Vector2<S> r[4];
  r[0] = residual_by_pose<false, S>(k, t, s, along_phi1<S>(t));
  r[1] = residual_by_pose<false, S>(k, t, s, along_phi4<S>(t));
  const S two(2.0);
  {
    const S l2w2 = g.l2 * s.w2 * t.a;
    const S l3w3 = g.l3 * s.w3 * t.c;
    const S gamma2 = two * (g.l1 * w1 * t.c13 + l2w2 * t.c23 - l3w3) * s.i2;
    const S gamma3 = two * (g.l1 * w1 * t.c12 + l2w2 - l3w3 * t.c23) * s.i3;
    const S t2 = k.inertia_2 * gamma2 - two * t.dh2 * w1;
    const S t3 = k.inertia_3 * gamma3;
    r[2][0] = t.h2 * gamma2 + two * t.dh2 * s.w2 * t.a + t.a * t2 + t.c * t3 +
              drive_resistance<S>(k, 0, w1);
    r[2][1] = t.h3 * gamma3 + two * t.dh3 * s.w3 * t.c + t.b * t2 + t.d * t3;
  }
  {
    const S l2w2 = g.l2 * s.w2 * t.b;
    const S l3w3 = g.l3 * s.w3 * t.d;
    const S gamma2 = two * (l2w2 * t.c23 - g.l4 * w4 * t.c43 - l3w3) * s.i2;
    const S gamma3 = two * (l2w2 - g.l4 * w4 * t.c42 - l3w3 * t.c23) * s.i3;
    const S t2 = k.inertia_2 * gamma2;
    const S t3 = k.inertia_3 * gamma3 - two * t.dh3 * w4;
    r[3][0] = t.h2 * gamma2 + two * t.dh2 * s.w2 * t.b + t.a * t2 + t.c * t3;
    r[3][1] = t.h3 * gamma3 + two * t.dh3 * s.w3 * t.d + t.b * t2 + t.d * t3 +
              drive_resistance<S>(k, 1, w4);
  }
  const S inverse = S(1.0) / (t.m11 * t.m44 - t.m14 * t.m14);
  const S y11 = t.m44 * inverse;
  const S y14 = -t.m14 * inverse;
  const S y44 = t.m11 * inverse;
  for (int j = 0; j < 4; ++j)
  {
    result.by_state(0, j) = -(y11 * r[j][0] + y14 * r[j][1]);
    result.by_state(1, j) = -(y14 * r[j][0] + y44 * r[j][1]);
  }
  result.by_input(0, 0) = y11 * k.torque_gain[0];
  result.by_input(0, 1) = y14 * k.torque_gain[1];
  result.by_input(1, 0) = y14 * k.torque_gain[0];
  result.by_input(1, 1) = y44 * k.torque_gain[1];
  return result;
}

template <class S>
inline AccelerationJacobian<S> linearize(
  const DynamicsConstants<S> & k, const Vector4<S> & x, const Vector2<S> & u)
{
  return linearize_terms<S>(k, terms_at<S>(k, x[0], x[1]), x[2], x[3], u);
}

/// Derivatives of the mass matrix by phi1 and phi4.
template <class S>
struct MassMatrixDerivative
{
  Matrix2<S> by_phi1, by_phi4;
};

template <class S>
inline MassMatrixDerivative<S> mass_matrix_derivative(
  const DynamicsConstants<S> & k, const Terms<S> & t)
{
  const Geometry<S> & g = k.geometry;
  const S inverse = S(1.0) / (g.l2 * g.l3 * t.pose.s23);
  const auto along = [&](const PoseDirection<S> & v) -> Matrix2<S> {
    const MapTangent<S> m = map_tangent<false, S>(g, t, g.l3 * inverse, g.l2 * inverse, v);
    const S h2 = t.dh2 * (v.d2 - v.d1);
    const S h3 = t.dh3 * (v.d3 - v.d4);
    const S two(2.0);
    Matrix2<S> result;
    result(0, 0) =
      two * (k.inertia_2 * t.a * m.a + h2 * t.a + t.h2 * m.a + k.inertia_3 * t.c * m.c);
    result(0, 1) = m.b * (k.inertia_2 * t.a + t.h2) + t.b * (k.inertia_2 * m.a + h2) +
                   m.c * (k.inertia_3 * t.d + t.h3) + t.c * (k.inertia_3 * m.d + h3);
    result(1, 0) = result(0, 1);
    result(1, 1) =
      two * (k.inertia_3 * t.d * m.d + h3 * t.d + t.h3 * m.d + k.inertia_2 * t.b * m.b);
    return result;
  };
  return {along(along_phi1<S>(t)), along(along_phi4<S>(t))};
}

/// Rate of the momenta p = M q' (Hamilton's second equation): p' = dT/dq + gravity + drive torque.
/// This is tau of Maciąg, eq. 4.31, in minimal coordinates.
template <class S>
inline Vector2<S> momentum_rate(
  const DynamicsConstants<S> & k, const Vector4<S> & x, const Vector2<S> & u)
{
  const Terms<S> t = terms_at<S>(k, x[0], x[1]);
  const MassMatrixDerivative<S> dm = mass_matrix_derivative<S>(k, t);
  const auto kinetic = [&](const Matrix2<S> & m) -> S {
    return S(0.5) * (m(0, 0) * x[2] * x[2] + m(1, 1) * x[3] * x[3]) + m(0, 1) * x[2] * x[3];
  };
  Vector2<S> rate(
    kinetic(dm.by_phi1) + drive_torque<S>(k, 0, x[2], u[0]),
    kinetic(dm.by_phi4) + drive_torque<S>(k, 1, x[3], u[1]));
  if (k.has_gravity)
  {
    const S g2 = gravity_moment<S>(k.moment_2, t.pose.e2, k.gravity);
    const S g3 = gravity_moment<S>(k.moment_3, t.pose.e3, k.gravity);
    rate[0] += gravity_moment<S>(k.moment_1, t.pose.e1, k.gravity) + t.a * g2 + t.c * g3;
    rate[1] += gravity_moment<S>(k.moment_4, t.pose.e4, k.gravity) + t.b * g2 + t.d * g3;
  }
  return rate;
}

/// d(acceleration)/d(parameter), columns in the order of visit_parameters().
using ParameterJacobian = Eigen::Matrix<double, 2, parameter_count>;

/// Allocation-free. `physics` and `constants` must belong together.
ParameterJacobian acceleration_by_parameters(
  const Physics<double> & physics, const DynamicsConstants<double> & constants,
  const Eigen::Vector4d & x, const Eigen::Vector2d & u);

}  // namespace fivebar_control
