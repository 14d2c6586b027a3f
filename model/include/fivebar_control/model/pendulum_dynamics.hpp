// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/model/pendulum_kinematics.hpp"

namespace fivebar_control
{

/// M(q) q'' = force: the equations of motion of robot and pendulum.
template <class S>
struct PendulumEquations
{
  Eigen::Matrix<S, 4, 4> mass;
  Vector4<S> force;
};

template <class S>
inline PendulumEquations<S> pendulum_equations(
  const PendulumConstants<S> & k, const PendulumState<S> & x, const Vector2<S> & u)
{
  const PendulumPose<S> p = pendulum_pose<S>(k, x);
  const Terms<S> & t = p.terms;
  const PendulumJacobian<S> j = pendulum_jacobian<S>(k, p);
  const PendulumBias<S> bias = pendulum_bias<S>(k, p, x);
  const Vector3<S> inertia = pendulum_inertia<S>(k.body);
  const Vector3<S> turn = j.turn * x.template tail<4>();
  const Vector3<S> momentum(inertia[0] * turn[0], inertia[1] * turn[1], inertia[2] * turn[2]);
  Vector3<S> push, torque;
  for (int i = 0; i < 3; ++i)
  {
    const S gravity = i < 2 ? k.robot.gravity[i] : -k.body.gravity;
    const int next = (i + 1) % 3;
    const int last = (i + 2) % 3;
    push[i] = k.body.mass * (gravity - bias.centre[i]);
    torque[i] =
      -inertia[i] * bias.turn[i] - turn[next] * momentum[last] + turn[last] * momentum[next];
  }
  const Vector2<S> robot_bias = bias_force<S>(k.robot, t, x[4], x[5]);
  PendulumEquations<S> e;
  for (int r = 0; r < 4; ++r)
  {
    for (int c = 0; c <= r; ++c)
    {
      S sum = S(0.0);
      for (int i = 0; i < 3; ++i)
      {
        sum +=
          k.body.mass * j.centre(i, r) * j.centre(i, c) + inertia[i] * j.turn(i, r) * j.turn(i, c);
      }
      e.mass(r, c) = sum;
      e.mass(c, r) = sum;
    }
    e.force[r] = S(0.0);
    for (int i = 0; i < 3; ++i)
    {
      e.force[r] += j.centre(i, r) * push[i] + j.turn(i, r) * torque[i];
    }
  }
  e.mass(0, 0) += t.m11;
  e.mass(0, 1) += t.m14;
  e.mass(1, 0) += t.m14;
  e.mass(1, 1) += t.m44;
  e.force[0] += drive_torque<S>(k.robot, 0, x[4], u[0]) - robot_bias[0];
  e.force[1] += drive_torque<S>(k.robot, 1, x[5], u[1]) - robot_bias[1];
  e.force[2] -= k.body.friction * x[6];
  e.force[3] -= k.body.friction * x[7];
  return e;
}

/// Solves with a symmetric positive definite matrix of four rows, without pivots, so that any
/// scalar can do it.
template <class S>
inline Vector4<S> solve_symmetric(Eigen::Matrix<S, 4, 4> m, Vector4<S> y)
{
  for (int c = 0; c < 4; ++c)
  {
    const S inverse = S(1.0) / m(c, c);
    for (int r = c + 1; r < 4; ++r)
    {
      const S factor = m(r, c) * inverse;
      for (int i = c + 1; i < 4; ++i)
      {
        m(r, i) -= factor * m(c, i);
      }
      y[r] -= factor * y[c];
    }
  }
  for (int r = 3; r >= 0; --r)
  {
    for (int i = r + 1; i < 4; ++i)
    {
      y[r] -= m(r, i) * y[i];
    }
    y[r] /= m(r, r);
  }
  return y;
}

/// (phi1'', phi4'', a1'', a2'').
template <class S>
inline Vector4<S> pendulum_acceleration(
  const PendulumConstants<S> & k, const PendulumState<S> & x, const Vector2<S> & u)
{
  const PendulumEquations<S> e = pendulum_equations<S>(k, x, u);
  return solve_symmetric<S>(e.mass, e.force);
}

template <class S>
inline PendulumState<S> pendulum_rate(
  const PendulumConstants<S> & k, const PendulumState<S> & x, const Vector2<S> & u)
{
  PendulumState<S> rate;
  rate << x.template tail<4>(), pendulum_acceleration<S>(k, x, u);
  return rate;
}

/// One classical Runge-Kutta step of length h, the volts going linearly from u0 to u1. Calls
/// look(stage, state) for each of the four stages.
template <class S, class Look>
inline PendulumState<S> pendulum_step(
  const PendulumConstants<S> & k, const PendulumState<S> & x, const Vector2<S> & u0,
  const Vector2<S> & u1, double h, Look && look)
{
  const Vector2<S> middle = S(0.5) * (u0 + u1);
  look(0, x);
  const PendulumState<S> k1 = pendulum_rate<S>(k, x, u0);
  const PendulumState<S> x2 = x + S(0.5 * h) * k1;
  look(1, x2);
  const PendulumState<S> k2 = pendulum_rate<S>(k, x2, middle);
  const PendulumState<S> x3 = x + S(0.5 * h) * k2;
  look(2, x3);
  const PendulumState<S> k3 = pendulum_rate<S>(k, x3, middle);
  const PendulumState<S> x4 = x + S(h) * k3;
  look(3, x4);
  const PendulumState<S> k4 = pendulum_rate<S>(k, x4, u1);
  return x + S(h / 6.0) * (k1 + S(2.0) * (k2 + k3) + k4);
}

template <class S>
inline PendulumState<S> pendulum_step(
  const PendulumConstants<S> & k, const PendulumState<S> & x, const Vector2<S> & u0,
  const Vector2<S> & u1, double h)
{
  return pendulum_step<S>(k, x, u0, u1, h, [](int, const PendulumState<S> &) {});
}

/// Kinetic and potential energy, the latter zero at the height of P.
template <class S>
inline S pendulum_energy(const PendulumConstants<S> & k, const PendulumState<S> & x)
{
  const PendulumPose<S> p = pendulum_pose<S>(k, x);
  const PendulumEquations<S> e = pendulum_equations<S>(k, x, Vector2<S>(S(0.0), S(0.0)));
  const Vector2<S> end = end_effector<S>(k.robot.geometry, p.terms.pose);
  S energy = k.body.mass * k.body.gravity * k.body.center * p.axis[2] +
             potential_energy<S>(k.robot, Vector4<S>(x[0], x[1], x[4], x[5]));
  for (int r = 0; r < 4; ++r)
  {
    for (int c = 0; c < 4; ++c)
    {
      energy += S(0.5) * x[4 + r] * e.mass(r, c) * x[4 + c];
    }
  }
  for (int i = 0; i < 2; ++i)
  {
    energy -= k.body.mass * k.robot.gravity[i] * (end[i] + k.body.center * p.axis[i]);
  }
  return energy;
}

/// Accelerations with their exact derivatives.
struct PendulumLinearization
{
  Vector4<double> acceleration;
  Eigen::Matrix<double, 4, 8> by_state;
  Eigen::Matrix<double, 4, 2> by_input;
};
PendulumLinearization linearize(
  const PendulumConstants<double> & k, const PendulumState<double> & x, const Eigen::Vector2d & u);

/// One control cycle with held volts, to first order.
struct PendulumHeldStep
{
  PendulumState<double> state;
  Eigen::Matrix<double, 8, 8> by_state;
  Eigen::Matrix<double, 8, 2> by_volts;
};
PendulumHeldStep held_step(
  const PendulumConstants<double> & k, const PendulumState<double> & x, const Eigen::Vector2d & u,
  double period, int steps = 2);

}  // namespace fivebar_control
