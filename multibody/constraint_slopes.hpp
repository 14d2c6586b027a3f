// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "motion_slopes.hpp"

namespace fivebar_control::multibody
{

/// Slopes of Phi' and Phi'' at a point of the motion, where v and a are held except for the
/// directions; columns as in all_directions.
struct ConstraintRateSlopes
{
  MatrixD rate, second;

  ConstraintRateSlopes(const System & system, const Point<double> & at, const VectorD & a)
  {
    const Directions along = all_directions(system);
    rate.resize(system.constraints(), along.count());
    second = rate;
    differentiate(
      system, at, along,
      [&](const Point<DualD> & point, const Terms<DualD> & dual, Eigen::Index first, int count) {
        Vector<DualD> value = times(dual.Phi_q, point.v);
        value += dual.Phi_t;
        store_slopes(value, 0, first, count, rate);
        value = times(dual.Phi_q, a);
        value += dual.acceleration_bias(point.v);
        store_slopes(value, 0, first, count, second);
      });
  }
};

}  // namespace fivebar_control::multibody
