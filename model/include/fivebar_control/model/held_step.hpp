// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/model/dynamics_derivatives.hpp"

namespace fivebar_control
{

/// The robot's step over one control cycle with held volts, to first order about (x, u).
struct HeldStep
{
  Eigen::Vector4d state;  ///< after the cycle
  Eigen::Matrix4d by_state;
  Eigen::Matrix<double, 4, 2> by_volts;
};

/// Classical Runge-Kutta in `steps` equal parts, with the exact derivatives of these steps.
HeldStep held_step(
  const DynamicsConstants<double> & k, const Eigen::Vector4d & x, const Eigen::Vector2d & u,
  double period, int steps = 2);

}  // namespace fivebar_control
