// SPDX-License-Identifier: Apache-2.0
#include "dense.hpp"

namespace fivebar_control::multibody
{

template <class S>
Matrix<S> product(const MatrixView<S> & a, const MatrixView<S> & b)
{
  return a.operator*(b);
}

template <class S>
Vector<S> product(const MatrixView<S> & a, const VectorView<S> & b)
{
  return a.operator*(b);
}

template <class S>
Matrix<S> transposed_product(const MatrixView<S> & a, const MatrixView<S> & b)
{
  return a.transpose().operator*(b);
}

template <class S>
Vector<S> transposed_product(const MatrixView<S> & a, const VectorView<S> & b)
{
  return a.transpose().operator*(b);
}

template <class S>
Lu<S>::Lu(const Matrix<S> & matrix) : factors_(matrix)
{
}

template <class S>
Matrix<S> Lu<S>::solve(const Matrix<S> & right) const
{
  return factors_.solve(right);
}

template <class S>
Vector<S> Lu<S>::solve(const Vector<S> & right) const
{
  return factors_.solve(right);
}

template <class S>
Matrix<S> Lu<S>::inverse() const
{
  return factors_.inverse();
}

template <class S>
double Lu<S>::rcond() const
{
  return factors_.rcond();
}

Ldlt::Ldlt(const MatrixD & matrix) : factors_(matrix) {}

MatrixD Ldlt::solve(const MatrixD & right) const { return factors_.solve(right); }

VectorD Ldlt::solve(const VectorD & right) const { return factors_.solve(right); }

template class Lu<double>;
template class Lu<Complex>;
template MatrixD product(const MatrixView<double> &, const MatrixView<double> &);
template VectorD product(const MatrixView<double> &, const VectorView<double> &);
template MatrixD transposed_product(const MatrixView<double> &, const MatrixView<double> &);
template VectorD transposed_product(const MatrixView<double> &, const VectorView<double> &);
template Matrix<Complex> product(const MatrixView<Complex> &, const MatrixView<Complex> &);
template Vector<Complex> product(const MatrixView<Complex> &, const VectorView<Complex> &);
template Matrix<Complex> transposed_product(
  const MatrixView<Complex> &, const MatrixView<Complex> &);
template Vector<Complex> transposed_product(
  const MatrixView<Complex> &, const VectorView<Complex> &);

}  // namespace fivebar_control::multibody
