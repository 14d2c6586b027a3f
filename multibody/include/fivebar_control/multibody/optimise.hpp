// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fivebar_control/multibody/sensitivity.hpp"

namespace fivebar_control::multibody
{

struct OptimisationStep
{
  double cost = 0.0;
  VectorD rho;
};

struct Optimisation
{
  bool converged = false;
  VectorD rho;
  double cost = 0.0;
  int evaluations = 0;
  std::vector<OptimisationStep> history;
};

struct OptimisationLimits
{
  double relative_step = 1e-11;  ///< of the parameters
  int evaluations = 200;
};

/// Minimises the first cost, which must be a sum of squares, by Gauss-Newton on the direct
/// sensitivities; steps are shortened at the bounds and where the cost does not fall.
Optimisation gauss_newton(
  const Problem & problem, const Settings & settings, const OptimisationLimits & limits = {});

/// Minimises the first cost by NLopt's L-BFGS with any gradient method, within the bounds.
Optimisation quasi_newton(
  const Problem & problem, const Settings & settings, Method method,
  const OptimisationLimits & limits = {});

}  // namespace fivebar_control::multibody
