#pragma once

#include <Eigen/Dense>
#include <complex>

#include "fivebar_control/support/dual.hpp"

namespace fivebar_control::multibody
{

using Complex = std::complex<double>;
/// Eight directions at once: wide enough for a five-bar in one or two passes, narrow enough for
/// registers.
inline constexpr int dual_width = 8;
using DualD = Dual<double, dual_width>;
/// The derivative of a DualD along one more direction (time, in the Hamiltonian adjoint).
using DualDD = Dual<DualD, 1>;

template <class S>
using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;
template <class S>
using Matrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;
using VectorD = Vector<double>;
using MatrixD = Matrix<double>;

/// y = A x without Eigen's product kernels, which do not mix scalar types.
template <class A, class X>
auto times(const Matrix<A> & matrix, const Vector<X> & x)
{
  using R = decltype(A() * X());
  Vector<R> result(matrix.rows());
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
  {
    R sum(0.0);
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
    {
      sum += matrix(i, j) * x(j);
    }
    result(i) = sum;
  }
  return result;
}

/// y = A^T x, likewise (no conjugation for complex numbers).
template <class A, class X>
auto transpose_times(const Matrix<A> & matrix, const Vector<X> & x)
{
  using R = decltype(A() * X());
  Vector<R> result(matrix.cols());
  for (Eigen::Index j = 0; j < matrix.cols(); ++j)
  {
    R sum(0.0);
    for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    {
      sum += matrix(i, j) * x(i);
    }
    result(j) = sum;
  }
  return result;
}

}  // namespace fivebar_control::multibody
