// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <complex>
#include <type_traits>

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

/// A matrix as it lies in memory, or rows and columns of one: what needs no copy to be multiplied.
template <class S>
using MatrixView = Eigen::Ref<const Matrix<S>>;
template <class S>
using VectorView = Eigen::Ref<const Vector<S>>;

/// a b and a^T b. Eigen's kernels for them are long, so they are compiled once, in dense.cpp, for
/// double and Complex.
template <class S>
Matrix<S> product(const MatrixView<S> & a, const MatrixView<S> & b);
template <class S>
Vector<S> product(const MatrixView<S> & a, const VectorView<S> & b);
template <class S>
Matrix<S> transposed_product(const MatrixView<S> & a, const MatrixView<S> & b);
template <class S>
Vector<S> transposed_product(const MatrixView<S> & a, const VectorView<S> & b);

template <class E>
concept Viewable = requires
{
  typename E::PlainObject;
  requires std::is_same_v<typename E::Scalar, double> ||
    std::is_same_v<typename E::Scalar, Complex>;
  requires(int(E::Flags) & int(Eigen::DirectAccessBit)) != 0;
  requires int(E::InnerStrideAtCompileTime) == 1;
  requires int(E::RowsAtCompileTime) == Eigen::Dynamic;
};
/// A view or the transpose of one.
template <class E>
concept LeftFactor = Viewable<E> && int(E::ColsAtCompileTime) == Eigen::Dynamic;
template <class E>
concept RightFactor = Viewable<E> && !bool(E::IsRowMajor);

/// Preferred to Eigen's own operator wherever both fit: the formulas read the same, and no source
/// compiles the kernels again.
template <LeftFactor A, RightFactor B>
requires std::is_same_v<typename A::Scalar, typename B::Scalar>
auto operator*(const A & a, const B & b)
{
  using S = typename A::Scalar;
  using Right = std::conditional_t<int(B::ColsAtCompileTime) == 1, VectorView<S>, MatrixView<S>>;
  if constexpr (bool(A::IsRowMajor))
  {
    return transposed_product<S>(MatrixView<S>(a.transpose()), Right(b));
  }
  else
  {
    return product<S>(MatrixView<S>(a), Right(b));
  }
}

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
