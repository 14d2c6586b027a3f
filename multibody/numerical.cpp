// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "fivebar_control/multibody/ali3p.hpp"
#include "fivebar_control/multibody/sensitivity.hpp"

namespace fivebar_control::multibody
{
namespace
{

template <class S>
Vector<S> costs_of(const Problem & problem, const Settings & settings, const Vector<S> & rho)
{
  return settings.formulation == Formulation::ali3p ? ali3p_costs(problem, settings, rho)
                                                    : simulate_costs(problem, settings, rho);
}

template <class Column>
Gradient by_columns(
  const Problem & problem, const Settings & settings, const VectorD & rho, Column && column)
{
  Gradient result;
  result.costs = costs_of<double>(problem, settings, rho);
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
    return (costs_of<double>(problem, settings, shifted) - costs) / (shifted(i) - rho(i));
  });
}

Gradient central_difference(
  const Problem & problem, const Settings & settings, const VectorD & rho, double delta)
{
  return by_columns(problem, settings, rho, [&](Eigen::Index i, const VectorD &) -> VectorD {
    VectorD above = rho, below = rho;
    above(i) += delta;
    below(i) -= delta;
    return (costs_of<double>(problem, settings, above) -
            costs_of<double>(problem, settings, below)) /
           (above(i) - below(i));
  });
}

Gradient complex_step(const Problem & problem, const Settings & settings, const VectorD & rho)
{
  constexpr double delta = 1e-30;
  return by_columns(problem, settings, rho, [&](Eigen::Index i, const VectorD &) -> VectorD {
    Vector<Complex> shifted = rho.cast<Complex>();
    shifted(i) += Complex(0.0, delta);
    return costs_of<Complex>(problem, settings, shifted).imag() / delta;
  });
}

}  // namespace fivebar_control::multibody
