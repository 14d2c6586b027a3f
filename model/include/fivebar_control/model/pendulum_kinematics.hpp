// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <complex>

#include "fivebar_control/model/dynamics.hpp"
#include "fivebar_control/model/pendulum.hpp"
#include "fivebar_control/support/dual.hpp"

namespace fivebar_control
{

// Where a pendulum on P is and how it can move. Minimal coordinates q = (phi1, phi4, a1, a2), state
// (q, q'), input u = (V1, V4). In the frame of the joint (x along its first axis, z up) the
// pendulum points along n = Rx(a1) Ry(a2) z; theta is the frame's angle. docs/pendulum.md has the
// formulas.

template <class S>
using Vector3 = Eigen::Matrix<S, 3, 1>;
template <class S>
using PendulumState = Eigen::Matrix<S, 8, 1>;

template <class S>
struct PendulumConstants
{
  DynamicsConstants<S> robot;
  PendulumBody<S> body;
  bool turns_with_link_2 = true;
};

inline PendulumConstants<double> lump(const RobotModel & robot, const PendulumParameters & pendulum)
{
  return {robot.constants(), pendulum.body, pendulum.axes == PendulumAxes::link_2};
}

/// The constants with another scalar.
template <class S>
PendulumConstants<S> constants_as(const PendulumConstants<double> & from)
{
  const auto pair = [](const Vector2<double> & v) { return Vector2<S>(S(v[0]), S(v[1])); };
  const DynamicsConstants<double> & r = from.robot;
  const Geometry<double> & g = r.geometry;
  PendulumConstants<S> k;
  k.robot.geometry = {pair(g.pivot_1), pair(g.pivot_4), S(g.l1), S(g.l2), S(g.l3), S(g.l4), g.mode};
  k.robot.inertia_1 = S(r.inertia_1);
  k.robot.inertia_2 = S(r.inertia_2);
  k.robot.inertia_3 = S(r.inertia_3);
  k.robot.inertia_4 = S(r.inertia_4);
  k.robot.coupling_2 = pair(r.coupling_2);
  k.robot.coupling_3 = pair(r.coupling_3);
  k.robot.moment_1 = pair(r.moment_1);
  k.robot.moment_2 = pair(r.moment_2);
  k.robot.moment_3 = pair(r.moment_3);
  k.robot.moment_4 = pair(r.moment_4);
  k.robot.gravity = pair(r.gravity);
  k.robot.torque_gain = pair(r.torque_gain);
  k.robot.damping = pair(r.damping);
  k.robot.coulomb = pair(r.coulomb);
  k.robot.inverse_coulomb_velocity = pair(r.inverse_coulomb_velocity);
  k.robot.has_gravity = r.has_gravity;
  k.robot.has_coulomb = r.has_coulomb;
  std::array<double, 8> values{};
  std::size_t i = 0;
  visit_pendulum(from.body, [&](const char *, double value) { values[i++] = value; });
  i = 0;
  visit_pendulum(k.body, [&](const char *, S & value) { value = S(values[i++]); });
  k.turns_with_link_2 = from.turns_with_link_2;
  return k;
}

/// Where joint and pendulum are, and the directions in which they can move.
template <class S>
struct PendulumPose
{
  Terms<S> terms;       ///< of the linkage
  Vector2<S> frame;     ///< x axis of the joint's frame in the plane
  S s1, c1, s2, c2;     ///< sines and cosines of a1 and a2
  Vector3<S> axis;      ///< along the pendulum
  Vector3<S> by_angle;  ///< its derivative by theta, by a1 and by a2
  Vector3<S> by_a1, by_a2;
};

/// From the joint's frame to that of the plane.
template <class S>
inline Vector3<S> turned(const Vector2<S> & frame, const Vector3<S> & v)
{
  return {frame[0] * v[0] - frame[1] * v[1], frame[1] * v[0] + frame[0] * v[1], v[2]};
}

template <class S>
inline PendulumPose<S> pendulum_pose(const PendulumConstants<S> & k, const PendulumState<S> & x)
{
  using std::cos;
  using std::sin;
  PendulumPose<S> p;
  p.terms = terms_at<S>(k.robot, x[0], x[1]);
  p.frame = k.turns_with_link_2 ? p.terms.pose.e2 : Vector2<S>(S(1.0), S(0.0));
  p.s1 = sin(x[2]);
  p.c1 = cos(x[2]);
  p.s2 = sin(x[3]);
  p.c2 = cos(x[3]);
  const Vector3<S> n(p.s2, -p.s1 * p.c2, p.c1 * p.c2);
  p.axis = turned<S>(p.frame, n);
  p.by_angle = turned<S>(p.frame, Vector3<S>(-n[1], n[0], S(0.0)));
  p.by_a1 = turned<S>(p.frame, Vector3<S>(S(0.0), -p.c1 * p.c2, -p.s1 * p.c2));
  p.by_a2 = turned<S>(p.frame, Vector3<S>(p.c2, p.s1 * p.s2, -p.c1 * p.s2));
  return p;
}

/// Velocity of the pendulum's centre (frame of the plane) and its angular velocity (frame of the
/// pendulum before table 3.2's turn: z along it) are these matrices times q'.
template <class S>
struct PendulumJacobian
{
  Eigen::Matrix<S, 3, 4> centre, turn;
};

template <class S>
inline PendulumJacobian<S> pendulum_jacobian(
  const PendulumConstants<S> & k, const PendulumPose<S> & p)
{
  const Terms<S> & t = p.terms;
  const S factor = k.turns_with_link_2 ? S(1.0) : S(0.0);
  const S a = factor * t.a;  // theta' = a w1 + b w4
  const S b = factor * t.b;
  const Vector2<S> n1 = left_normal<S>(t.pose.e1);
  const Vector2<S> n2 = left_normal<S>(t.pose.e2);
  const S c = k.body.center;
  const S l1 = k.robot.geometry.l1;
  const S l2 = k.robot.geometry.l2;
  const Vector3<S> turn(-p.s2 * p.c1, p.s1, p.c2 * p.c1);
  PendulumJacobian<S> j;
  for (int i = 0; i < 3; ++i)
  {
    const S first = i < 2 ? l1 * n1[i] + l2 * t.a * n2[i] : S(0.0);
    const S second = i < 2 ? l2 * t.b * n2[i] : S(0.0);
    j.centre(i, 0) = first + c * a * p.by_angle[i];
    j.centre(i, 1) = second + c * b * p.by_angle[i];
    j.centre(i, 2) = c * p.by_a1[i];
    j.centre(i, 3) = c * p.by_a2[i];
    j.turn(i, 0) = a * turn[i];
    j.turn(i, 1) = b * turn[i];
  }
  j.turn.col(2) = Vector3<S>(p.c2, S(0.0), p.s2);
  j.turn.col(3) = Vector3<S>(S(0.0), S(1.0), S(0.0));
  return j;
}

/// Moments of inertia in the frame of the angular velocity.
template <class S>
inline Vector3<S> pendulum_inertia(const PendulumBody<S> & body)
{
  return {body.inertia_third, body.inertia_second, body.inertia_along};
}

/// Accelerations of centre and turn at q'' = 0.
template <class S>
struct PendulumBias
{
  Vector3<S> centre, turn;
};

template <class S>
inline PendulumBias<S> pendulum_bias(
  const PendulumConstants<S> & k, const PendulumPose<S> & p, const PendulumState<S> & x)
{
  const Terms<S> & t = p.terms;
  const Vector2<S> driven(x[4], x[5]);
  const Vector2<S> passive(t.a * x[4] + t.b * x[5], t.c * x[4] + t.d * x[5]);
  const Vector2<S> bias = passive_acceleration_bias<S>(k.robot.geometry, t.pose, driven, passive);
  const S factor = k.turns_with_link_2 ? S(1.0) : S(0.0);
  const S angle_speed = factor * passive[0];
  const S angle_bias = factor * bias[0];
  const S d1 = x[6];
  const S d2 = x[7];
  // Of n in the joint's frame, which turns with theta.
  const Vector3<S> n(p.s2, -p.s1 * p.c2, p.c1 * p.c2);
  const Vector3<S> speed(
    p.c2 * d2, -p.c1 * p.c2 * d1 + p.s1 * p.s2 * d2, -p.s1 * p.c2 * d1 - p.c1 * p.s2 * d2);
  const S twice = S(2.0) * angle_speed;
  const S square = angle_speed * angle_speed;
  const S both = S(2.0) * d1 * d2;
  Vector3<S> acceleration(
    -p.s2 * d2 * d2, p.s1 * p.c2 * (d1 * d1 + d2 * d2) + p.c1 * p.s2 * both,
    -p.c1 * p.c2 * (d1 * d1 + d2 * d2) + p.s1 * p.s2 * both);
  acceleration[0] -= angle_bias * n[1] + twice * speed[1] + square * n[0];
  acceleration[1] += angle_bias * n[0] + twice * speed[0] - square * n[1];
  PendulumBias<S> result;
  result.centre = k.body.center * turned<S>(p.frame, acceleration);
  const Vector2<S> n2 = left_normal<S>(t.pose.e2);
  const S l1 = k.robot.geometry.l1;
  const S l2 = k.robot.geometry.l2;
  for (int i = 0; i < 2; ++i)
  {
    result.centre[i] += l2 * bias[0] * n2[i] - l1 * driven[0] * driven[0] * t.pose.e1[i] -
                        l2 * passive[0] * passive[0] * t.pose.e2[i];
  }
  result.turn = Vector3<S>(
    -p.s2 * p.c1 * angle_bias + (p.s2 * p.s1 * d1 - p.c2 * p.c1 * d2) * angle_speed -
      p.s2 * d2 * d1,
    p.s1 * angle_bias + p.c1 * d1 * angle_speed,
    p.c2 * p.c1 * angle_bias - (p.s2 * p.c1 * d2 + p.c2 * p.s1 * d1) * angle_speed +
      p.c2 * d2 * d1);
  return result;
}

/// angle / sin(angle) as a function of its cosine, and its derivative: smooth at angle zero.
struct TiltFactor
{
  double value, slope;
};
TiltFactor tilt_factor(double cosine);

inline double angle_over_sine(double cosine) { return tilt_factor(cosine).value; }
/// To first order in the imaginary part, which is what a complex step needs.
inline std::complex<double> angle_over_sine(const std::complex<double> & cosine)
{
  const TiltFactor f = tilt_factor(cosine.real());
  return {f.value, f.slope * cosine.imag()};
}
template <int N>
inline Dual<double, N> angle_over_sine(const Dual<double, N> & cosine)
{
  const TiltFactor f = tilt_factor(cosine.value);
  return chain(cosine, f.value, f.slope);
}

/// The tilt as a vector of length gamma, the angle from upright: along the pendulum's axis in the
/// plane.
template <class S>
inline Vector2<S> tilt_vector(const PendulumPose<S> & p)
{
  const S factor = angle_over_sine(p.axis[2]);
  return {factor * p.axis[0], factor * p.axis[1]};
}

/// Spatial velocity of the pendulum: of its centre in the plane's frame, and its turn.
template <class S>
inline Eigen::Matrix<S, 6, 1> pendulum_velocity(
  const PendulumConstants<S> & k, const PendulumPose<S> & p, const PendulumState<S> & x)
{
  const PendulumJacobian<S> j = pendulum_jacobian<S>(k, p);
  Eigen::Matrix<S, 6, 1> v;
  v << j.centre * x.template tail<4>(), j.turn * x.template tail<4>();
  return v;
}

/// Where the joints and the pendulum's tip are, for pictures.
struct PendulumFigure
{
  Eigen::Vector2d pivot_1, elbow_1, point, elbow_4, pivot_4;  ///< m
  Eigen::Vector3d tip;                                        ///< m
};
PendulumFigure figure_of(const PendulumConstants<double> & k, const PendulumState<double> & x);

/// rad, of a state, from upright; 0 to pi.
double tilt_of(const PendulumConstants<double> & k, const PendulumState<double> & x);

}  // namespace fivebar_control
