// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/model/pendulum_dynamics.hpp"
#include "model/robots.hpp"

namespace fivebar_control::test
{

/// Table 5.4 of the source.
inline PendulumParameters published_pendulum(PendulumAxes axes = PendulumAxes::link_2)
{
  return {{0.3365, 0.125, 0.16825, 6.5e-6, 1.8e-4, 1.8e-4, 0.0, 9.81}, axes};
}

/// A pendulum without symmetry, with friction.
inline PendulumParameters uneven_pendulum(PendulumAxes axes = PendulumAxes::link_2)
{
  return {{0.4, 0.2, 0.25, 2e-4, 1.1e-3, 9.5e-4, 2e-3, 9.7}, axes};
}

constexpr double degrees(double value) { return value * 0.017453292519943295; }

/// At rest, the robot at home.
inline PendulumState<double> tilted(const RobotModel & robot, double a1_degrees, double a2_degrees)
{
  PendulumState<double> x = PendulumState<double>::Zero();
  x << robot.parameters().home, degrees(a1_degrees), degrees(a2_degrees), 0.0, 0.0, 0.0, 0.0;
  return x;
}

}  // namespace fivebar_control::test
