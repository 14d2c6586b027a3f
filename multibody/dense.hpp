// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <vector>

#include "fivebar_control/multibody/scalar.hpp"

namespace fivebar_control::multibody
{

// Eigen's decompositions behind functions that are compiled once, for the same reason as the
// products of scalar.hpp: each of them takes seconds in every source that names it.

/// LU factors with partial pivoting; for double and Complex.
template <class S>
class Lu
{
public:
  Lu() = default;
  explicit Lu(const Matrix<S> & matrix);
  Matrix<S> solve(const Matrix<S> & right) const;
  Vector<S> solve(const Vector<S> & right) const;
  Matrix<S> inverse() const;
  /// Estimate of the reciprocal of the condition number.
  double rcond() const;

private:
  Eigen::PartialPivLU<Matrix<S>> factors_;
};

/// Cholesky factors L D L^T of a symmetric matrix.
class Ldlt
{
public:
  explicit Ldlt(const MatrixD & matrix);
  MatrixD solve(const MatrixD & right) const;
  VectorD solve(const VectorD & right) const;

private:
  Eigen::LDLT<MatrixD> factors_;
};

/// Number of independent rows, where pivots below `threshold` (relative to the largest) count as
/// zero.
Eigen::Index rank(const MatrixD & matrix, double threshold);
/// The columns of a matrix in the order in which QR with pivoting takes them: the best determined
/// first.
std::vector<int> pivot_order(const MatrixD & matrix);
/// The shortest x that minimises |A x - b|, also for matrices without full rank.
VectorD least_squares(const MatrixD & A, const VectorD & b);
/// A basis of the vectors x with A x = 0, one per column.
MatrixD kernel(const MatrixD & A);
/// Estimate of the reciprocal of the condition number, with full pivoting: also for singular
/// matrices.
double reciprocal_condition(const MatrixD & matrix);
bool is_positive_definite(const MatrixD & matrix);

}  // namespace fivebar_control::multibody
