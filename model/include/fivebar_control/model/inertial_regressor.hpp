// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/model/dynamics_derivatives.hpp"

namespace fivebar_control
{

/// The residual r of inverse dynamics is linear in the lumped inertias and moments; this holds its
/// coefficients, so that a parameter's column is a sum of (d lump / d parameter) * coefficient.
struct InertialRegressor
{
  Eigen::Vector2d inertia_1, inertia_2, inertia_3, inertia_4;
  Eigen::Vector2d coupling_2x, coupling_2y, coupling_3x, coupling_3y;
  Eigen::Vector2d moment_1x, moment_1y, moment_2x, moment_2y, moment_3x, moment_3y, moment_4x,
    moment_4y;
};

inline InertialRegressor inertial_regressor(
  const DynamicsConstants<double> & k, const Terms<double> & t, const ResidualState<double> & s)
{
  InertialRegressor r;
  const Eigen::Vector2d distal_2(
    t.a, t.b);  // a force on w2 acts on (phi1, phi4) through the velocity map
  const Eigen::Vector2d distal_3(t.c, t.d);
  const Eigen::Vector2d first(1.0, 0.0);
  const Eigen::Vector2d fourth(0.0, 1.0);
  r.inertia_1 = s.a1 * first;
  r.inertia_4 = s.a4 * fourth;
  r.inertia_2 = s.a2 * distal_2;
  r.inertia_3 = s.a3 * distal_3;
  r.coupling_2x =
    (t.c12 * s.a2 - t.s12 * s.w22) * first + (t.c12 * s.a1 + t.s12 * s.w11) * distal_2;
  r.coupling_2y =
    (-t.s12 * s.a2 - t.c12 * s.w22) * first + (-t.s12 * s.a1 + t.c12 * s.w11) * distal_2;
  r.coupling_3x =
    (t.c43 * s.a3 - t.s43 * s.w33) * fourth + (t.c43 * s.a4 + t.s43 * s.w44) * distal_3;
  r.coupling_3y =
    (-t.s43 * s.a3 - t.c43 * s.w33) * fourth + (-t.s43 * s.a4 + t.c43 * s.w44) * distal_3;
  const auto by_x = [&](const Eigen::Vector2d & e) {
    return -(k.gravity[1] * e[0] - k.gravity[0] * e[1]);
  };
  const auto by_y = [&](const Eigen::Vector2d & e) { return k.gravity.dot(e); };
  r.moment_1x = by_x(t.pose.e1) * first;
  r.moment_1y = by_y(t.pose.e1) * first;
  r.moment_2x = by_x(t.pose.e2) * distal_2;
  r.moment_2y = by_y(t.pose.e2) * distal_2;
  r.moment_3x = by_x(t.pose.e3) * distal_3;
  r.moment_3y = by_y(t.pose.e3) * distal_3;
  r.moment_4x = by_x(t.pose.e4) * fourth;
  r.moment_4y = by_y(t.pose.e4) * fourth;
  return r;
}

}  // namespace fivebar_control
