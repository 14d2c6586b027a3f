// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dense.hpp"
#include "fivebar_control/multibody/system.hpp"

namespace fivebar_control::multibody
{

/// [M Phi_q^T; Phi_q -compliance I], the matrix that all formulations share.
template <class S>
Matrix<S> kkt_matrix(const Matrix<S> & M, const Matrix<S> & Phi_q, double compliance = 0.0)
{
  const Eigen::Index n = M.rows();
  const Eigen::Index m = Phi_q.rows();
  Matrix<S> result(n + m, n + m);
  result.topLeftCorner(n, n) = M;
  result.bottomLeftCorner(m, n) = Phi_q;
  result.topRightCorner(n, m) = Phi_q.transpose();
  result.bottomRightCorner(m, m) = -compliance * Matrix<S>::Identity(m, m);
  return result;
}

template <class S>
Lu<S> kkt_factors(const Terms<S> & terms, double compliance = 0.0)
{
  return Lu<S>(kkt_matrix(terms.M, terms.Phi_q, compliance));
}

}  // namespace fivebar_control::multibody
