// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "fivebar_control/multibody/mechanism.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// Solves A x = b by elimination with pivoting, for scalars that carry derivatives.
template <class S>
Vector<S> solved(Matrix<S> A, Vector<S> b)
{
  const Eigen::Index n = b.size();
  for (Eigen::Index k = 0; k < n; ++k)
  {
    Eigen::Index pivot = k;
    for (Eigen::Index i = k + 1; i < n; ++i)
    {
      if (std::abs(real_part(A(i, k))) > std::abs(real_part(A(pivot, k))))
      {
        pivot = i;
      }
    }
    A.row(k).swap(A.row(pivot));
    std::swap(b(k), b(pivot));
    for (Eigen::Index i = k + 1; i < n; ++i)
    {
      const S factor = A(i, k) / A(k, k);
      for (Eigen::Index j = k + 1; j < n; ++j)
      {
        A(i, j) -= factor * A(k, j);
      }
      b(i) -= factor * b(k);
    }
  }
  for (Eigen::Index k = n; k-- > 0;)
  {
    for (Eigen::Index j = k + 1; j < n; ++j)
    {
      b(k) -= A(k, j) * b(j);
    }
    b(k) = b(k) / A(k, k);
  }
  return b;
}

/// Q = Phi_q^T lambda at rest: what is left of Q along the independent coordinates, once the
/// dependent ones have given lambda, vanishes.
class Equilibrium final : public InitialConditionsOf<Equilibrium>
{
public:
  Equilibrium(std::shared_ptr<const System> system, std::vector<int> independent, VectorD estimate)
  : system_(std::move(system)), independent_(std::move(independent)), estimate_(std::move(estimate))
  {
    for (int i = 0; i < system_->coordinates(); ++i)
    {
      if (std::find(independent_.begin(), independent_.end(), i) == independent_.end())
      {
        dependent_.push_back(i);
      }
    }
  }
  VectorD estimate() const override { return estimate_; }

  template <class S>
  void conditions(const Point<S> & at, Vector<S> & position, Vector<S> & velocity) const
  {
    Point<S> rest = at;
    rest.v.setConstant(S(0.0));
    Terms<S> terms;
    system_->evaluate(rest, terms);
    const auto m = static_cast<Eigen::Index>(dependent_.size());
    Matrix<S> A(m, m);
    Vector<S> b(m);
    for (Eigen::Index i = 0; i < m; ++i)
    {
      const int coordinate = dependent_[static_cast<std::size_t>(i)];
      for (Eigen::Index j = 0; j < m; ++j)
      {
        A(i, j) = terms.Phi_q(j, coordinate);
      }
      b(i) = terms.Q(coordinate);
    }
    const Vector<S> lambda = solved<S>(std::move(A), std::move(b));
    const auto free = static_cast<Eigen::Index>(independent_.size());
    position.resize(free);
    velocity.resize(free);
    for (Eigen::Index i = 0; i < free; ++i)
    {
      const int coordinate = independent_[static_cast<std::size_t>(i)];
      position(i) = terms.Q(coordinate);
      for (Eigen::Index j = 0; j < m; ++j)
      {
        position(i) -= terms.Phi_q(j, coordinate) * lambda(j);
      }
      velocity(i) = at.v(coordinate);
    }
  }

private:
  std::shared_ptr<const System> system_;
  std::vector<int> independent_, dependent_;
  VectorD estimate_;
};

}  // namespace

std::shared_ptr<const InitialConditions> make_equilibrium(
  std::shared_ptr<const System> system, std::vector<int> independent, VectorD estimate)
{
  return std::make_shared<Equilibrium>(
    std::move(system), std::move(independent), std::move(estimate));
}

}  // namespace fivebar_control::multibody
