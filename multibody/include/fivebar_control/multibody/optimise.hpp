// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fivebar_control/multibody/sensitivity.hpp"

namespace fivebar_control::multibody
{

struct OptimisationStep
{
  double cost = 0.0;
  VectorD rho;
};

enum class OptimisationEnd
{
  converged,   ///< the parameters do not move any more, or the gradient is small enough
  stalled,     ///< no shorter step lowers the cost, yet the gradient is not small
  iterations,  ///< as many as were allowed
};

struct Optimisation
{
  OptimisationEnd end = OptimisationEnd::iterations;
  bool converged = false;
  VectorD rho;
  double cost = 0.0;
  double gradient = 0.0;  ///< its largest entry at rho, where bounds leave it free
  int iterations = 0;
  int evaluations = 0;
  std::vector<OptimisationStep> history;  ///< after each iteration, the start first
};

struct OptimisationLimits
{
  double relative_step = 1e-11;  ///< of the parameters
  double gradient = 0.0;         ///< largest entry that counts as zero
  double cost = 0.0;             ///< good enough, for costs that can reach zero
  int evaluations = 200;
  /// Hears of each iteration: number, cost, largest entry of the gradient.
  std::function<void(int, double, double)> progress{};
};

/// Minimises the first cost, which must be a sum of squares, by Gauss-Newton on the direct
/// sensitivities; steps are shortened at the bounds and where the cost does not fall.
Optimisation gauss_newton(
  const Problem & problem, const Settings & settings, const OptimisationLimits & limits = {});

/// The same for nodes of inputs, with the structure in time: a Riccati recursion over the
/// linearised mechanism, whose work is proportional to the number of nodes (Levenberg-Marquardt).
/// Bounds are kept by projection.
Optimisation riccati_gauss_newton(
  const Problem & problem, const Settings & settings, const OptimisationLimits & limits = {});
/// Why that is not possible, or nothing.
std::string riccati_obstacle(const Problem & problem, const Settings & settings);

/// NLopt's L-BFGS or SLSQP with any gradient method, within the bounds.
enum class QuasiNewton
{
  lbfgs,
  slsqp
};
Optimisation quasi_newton(
  const Problem & problem, const Settings & settings, Method method,
  const OptimisationLimits & limits = {}, QuasiNewton algorithm = QuasiNewton::lbfgs);

}  // namespace fivebar_control::multibody
