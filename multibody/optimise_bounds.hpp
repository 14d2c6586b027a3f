// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/problem.hpp"

namespace fivebar_control::multibody
{

/// The parameters moved into their bounds.
inline VectorD clamped(const Problem & problem, VectorD rho)
{
  if (problem.lower.size() == rho.size())
  {
    rho = rho.cwiseMax(problem.lower);
  }
  if (problem.upper.size() == rho.size())
  {
    rho = rho.cwiseMin(problem.upper);
  }
  return rho;
}

/// Whether a bound keeps parameter i from following the gradient downhill.
inline bool is_held(
  const Problem & problem, const VectorD & rho, const VectorD & gradient, Eigen::Index i)
{
  return (problem.lower.size() == rho.size() && rho(i) <= problem.lower(i) && gradient(i) > 0.0) ||
         (problem.upper.size() == rho.size() && rho(i) >= problem.upper(i) && gradient(i) < 0.0);
}

/// The largest entry of the gradient that no bound explains.
inline double free_size(const Problem & problem, const VectorD & rho, const VectorD & gradient)
{
  double largest = 0.0;
  for (Eigen::Index i = 0; i < rho.size(); ++i)
  {
    if (!is_held(problem, rho, gradient, i))
    {
      largest = std::max(largest, std::abs(gradient(i)));
    }
  }
  return largest;
}

}  // namespace fivebar_control::multibody
