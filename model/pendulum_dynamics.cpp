// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/model/pendulum_dynamics.hpp"

#include <algorithm>

namespace fivebar_control
{
namespace
{

using Variable = Dual<double, 10>;

PendulumState<Variable> state_as_variable(const PendulumState<double> & x)
{
  PendulumState<Variable> result;
  for (int i = 0; i < 8; ++i)
  {
    result[i] = Variable(x[i], i);
  }
  return result;
}

Vector2<Variable> volts_as_variable(const Eigen::Vector2d & u)
{
  return {Variable(u[0], 8), Variable(u[1], 9)};
}

}  // namespace

TiltFactor tilt_factor(double cosine)
{
  const double y = 1.0 - cosine;
  if (y < 1e-3)
  {
    // Series of acos(c) / sqrt(1 - c^2); the first term left out is below 1e-17.
    return {
      1.0 +
        y * (1.0 / 3.0 + y * (2.0 / 15.0 + y * (2.0 / 35.0 + y * (8.0 / 315.0 + y * 8.0 / 693.0)))),
      -(1.0 / 3.0 + y * (4.0 / 15.0 + y * (6.0 / 35.0 + y * (32.0 / 315.0 + y * 40.0 / 693.0))))};
  }
  const double square = std::max(y * (1.0 + cosine), 1e-300);
  const double value = std::acos(std::clamp(cosine, -1.0, 1.0)) / std::sqrt(square);
  return {value, (cosine * value - 1.0) / square};
}

PendulumFigure figure_of(const PendulumConstants<double> & k, const PendulumState<double> & x)
{
  const Geometry<double> & g = k.robot.geometry;
  const PendulumPose<double> pose = pendulum_pose<double>(k, x);
  PendulumFigure f;
  f.pivot_1 = g.pivot_1;
  f.pivot_4 = g.pivot_4;
  f.elbow_1 = g.pivot_1 + g.l1 * pose.terms.pose.e1;
  f.elbow_4 = g.pivot_4 + g.l4 * pose.terms.pose.e4;
  f.point = end_effector<double>(g, pose.terms.pose);
  f.tip = k.body.length * pose.axis;
  f.tip.head<2>() += f.point;
  return f;
}

double tilt_of(const PendulumConstants<double> & k, const PendulumState<double> & x)
{
  const Vector3<double> axis = pendulum_pose<double>(k, x).axis;
  return std::atan2(std::hypot(axis[0], axis[1]), axis[2]);
}

PendulumLinearization linearize(
  const PendulumConstants<double> & k, const PendulumState<double> & x, const Eigen::Vector2d & u)
{
  const Vector4<Variable> acceleration = pendulum_acceleration<Variable>(
    constants_as<Variable>(k), state_as_variable(x), volts_as_variable(u));
  PendulumLinearization result;
  for (int r = 0; r < 4; ++r)
  {
    result.acceleration[r] = acceleration[r].value;
    for (int c = 0; c < 8; ++c)
    {
      result.by_state(r, c) = acceleration[r][c];
    }
    result.by_input(r, 0) = acceleration[r][8];
    result.by_input(r, 1) = acceleration[r][9];
  }
  return result;
}

PendulumHeldStep held_step(
  const PendulumConstants<double> & k, const PendulumState<double> & x, const Eigen::Vector2d & u,
  double period, int steps)
{
  const PendulumConstants<Variable> constants = constants_as<Variable>(k);
  const Vector2<Variable> volts = volts_as_variable(u);
  PendulumState<Variable> state = state_as_variable(x);
  for (int i = 0; i < steps; ++i)
  {
    state = pendulum_step<Variable>(constants, state, volts, volts, period / steps);
  }
  PendulumHeldStep step;
  for (int r = 0; r < 8; ++r)
  {
    step.state[r] = state[r].value;
    for (int c = 0; c < 8; ++c)
    {
      step.by_state(r, c) = state[r][c];
    }
    step.by_volts(r, 0) = state[r][8];
    step.by_volts(r, 1) = state[r][9];
  }
  return step;
}

}  // namespace fivebar_control
