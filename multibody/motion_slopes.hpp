// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/form.hpp"

namespace fivebar_control::multibody
{

/// All directions of q, v and theta, in this order.
inline Directions all_directions(const System & system)
{
  const Eigen::Index n = system.coordinates();
  const Eigen::Index np = system.parameters();
  Directions along(system, 2 * n + np);
  along.q.leftCols(n).setIdentity();
  along.v.middleCols(n, n).setIdentity();
  along.theta.rightCols(np).setIdentity();
  return along;
}

/// Slopes of R = M a + Phi_q^T lambda - Q (with K = R_q and C = R_v) and of the constraints, where
/// a and lambda are held; columns as in all_directions.
struct MotionSlopes
{
  Eigen::Index n, np;
  MatrixD residual, Phi;

  MotionSlopes(
    const System & system, const Point<double> & at, const VectorD & a, const VectorD & lambda)
  : n(system.coordinates()), np(system.parameters())
  {
    const Directions along = all_directions(system);
    residual.resize(n, along.count());
    Phi.resize(system.constraints(), along.count());
    differentiate(
      system, at, along,
      [&](const Point<DualD> &, const Terms<DualD> & dual, Eigen::Index first, int count) {
        Vector<DualD> value = times(dual.M, a);
        value += transpose_times(dual.Phi_q, lambda);
        value -= dual.Q;
        store_slopes(value, 0, first, count, residual);
        store_slopes(dual.Phi, 0, first, count, Phi);
      });
  }
  auto K() const { return residual.leftCols(n); }
  auto C() const { return residual.middleCols(n, n); }
  auto theta() const { return residual.rightCols(np); }
  auto Phi_theta() const { return Phi.rightCols(np); }
};

/// How accelerations and multipliers of the first node change along directions of (q, v, theta).
struct StartSlopes
{
  MatrixD a, lambda;
};
inline StartSlopes start_slopes(
  const Form & start_form, const Point<double> & at, const Directions & along)
{
  const Eigen::Index n = at.q.size();
  const VectorD y = start_form.state(at);
  Response<double> response;
  start_form.respond(at.t, y, at.theta, VectorD(), response);
  const ResponseTangent slopes = start_form.linearise(at.t, y, at.theta, response);
  const auto chain = [&](const MatrixD & by) -> MatrixD {
    return by.leftCols(n) * along.q + by.middleCols(n, n) * along.v +
           by.rightCols(at.theta.size()) * along.theta;
  };
  return {chain(slopes.a), chain(slopes.lambda)};
}

}  // namespace fivebar_control::multibody
