// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "fivebar_control/multibody/sensitivity.hpp"

namespace fivebar_control::multibody
{
namespace
{

template <class Column>
Gradient by_columns(
  const Problem & problem, const Settings & settings, const VectorD & rho, Column && column)
{
  Gradient result;
  result.costs = simulate_costs<double>(problem, settings, rho);
  result.gradient.resize(result.costs.size(), rho.size());
  for (Eigen::Index i = 0; i < rho.size(); ++i)
  {
    result.gradient.col(i) = column(i, result.costs);
  }
  return result;
}

}  // namespace

Gradient finite_difference(
  const Problem & problem, const Settings & settings, const VectorD & rho, double delta)
{
  return by_columns(problem, settings, rho, [&](Eigen::Index i, const VectorD & costs) -> VectorD {
    VectorD shifted = rho;
    shifted(i) += delta;
    return (simulate_costs<double>(problem, settings, shifted) - costs) / (shifted(i) - rho(i));
  });
}

Gradient central_difference(
  const Problem & problem, const Settings & settings, const VectorD & rho, double delta)
{
  return by_columns(problem, settings, rho, [&](Eigen::Index i, const VectorD &) -> VectorD {
    VectorD above = rho, below = rho;
    above(i) += delta;
    below(i) -= delta;
    return (simulate_costs<double>(problem, settings, above) -
            simulate_costs<double>(problem, settings, below)) /
           (above(i) - below(i));
  });
}

Gradient complex_step(const Problem & problem, const Settings & settings, const VectorD & rho)
{
  constexpr double delta = 1e-30;
  return by_columns(problem, settings, rho, [&](Eigen::Index i, const VectorD &) -> VectorD {
    Vector<Complex> shifted = rho.cast<Complex>();
    shifted(i) += Complex(0.0, delta);
    return simulate_costs<Complex>(problem, settings, shifted).imag() / delta;
  });
}

}  // namespace fivebar_control::multibody
