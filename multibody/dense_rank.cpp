// SPDX-License-Identifier: Apache-2.0
#include <Eigen/QR>

#include "dense.hpp"

namespace fivebar_control::multibody
{

Eigen::Index rank(const MatrixD & matrix, double threshold)
{
  Eigen::ColPivHouseholderQR<MatrixD> factors(matrix);
  factors.setThreshold(threshold);
  return factors.rank();
}

std::vector<int> pivot_order(const MatrixD & matrix)
{
  const Eigen::ColPivHouseholderQR<MatrixD> factors(matrix);
  const auto & order = factors.colsPermutation().indices();
  return {order.data(), order.data() + order.size()};
}

VectorD least_squares(const MatrixD & A, const VectorD & b)
{
  return Eigen::CompleteOrthogonalDecomposition<MatrixD>(A).solve(b);
}

MatrixD kernel(const MatrixD & A) { return Eigen::FullPivLU<MatrixD>(A).kernel(); }

double reciprocal_condition(const MatrixD & matrix)
{
  return Eigen::FullPivLU<MatrixD>(matrix).rcond();
}

bool is_positive_definite(const MatrixD & matrix)
{
  return Eigen::LLT<MatrixD>(matrix).info() == Eigen::Success;
}

}  // namespace fivebar_control::multibody
