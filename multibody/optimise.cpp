// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/optimise.hpp"

#include <nlopt.hpp>

#include "dense.hpp"

namespace fivebar_control::multibody
{
namespace
{

VectorD clamped(const Problem & problem, VectorD rho)
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

}  // namespace

Optimisation gauss_newton(
  const Problem & problem, const Settings & settings, const OptimisationLimits & limits)
{
  if (problem.costs.front()->residuals() == 0)
  {
    throw MechanismError("Gauss-Newton needs a first cost that is an integral of squares");
  }
  Optimisation result;
  result.rho = clamped(problem, problem.rho);
  DirectResult at = direct_with_states(problem, settings, result.rho, true);
  result.evaluations = 1;
  result.cost = at.gradient.costs(0);
  result.history.push_back({result.cost, result.rho});
  while (result.evaluations < limits.evaluations)
  {
    const VectorD gradient = at.gradient.gradient.row(0).transpose();
    const VectorD step = -least_squares(at.gauss_newton, gradient);
    double fraction = 1.0;
    VectorD next = clamped(problem, result.rho + step);
    double cost = simulate_costs<double>(problem, settings, next)(0);
    ++result.evaluations;
    while (!(cost <= result.cost) && fraction > 1e-6)
    {
      fraction *= 0.5;
      next = clamped(problem, result.rho + fraction * step);
      cost = simulate_costs<double>(problem, settings, next)(0);
      ++result.evaluations;
    }
    const double moved = (next - result.rho).norm();
    if (!(cost <= result.cost))
    {
      // No descent left: the optimum to the accuracy of the integration.
      result.converged = moved <= 1e-6 * (1.0 + result.rho.norm());
      break;
    }
    result.rho = next;
    result.cost = cost;
    result.history.push_back({cost, next});
    if (moved <= limits.relative_step * (1.0 + next.norm()))
    {
      result.converged = true;
      break;
    }
    at = direct_with_states(problem, settings, result.rho, true);
    ++result.evaluations;
  }
  return result;
}

Optimisation quasi_newton(
  const Problem & problem, const Settings & settings, Method method,
  const OptimisationLimits & limits)
{
  Optimisation result;
  const auto size = static_cast<unsigned>(problem.rho.size());
  nlopt::opt optimiser(nlopt::LD_LBFGS, size);
  const auto to_std = [](const VectorD & x) {
    return std::vector<double>(x.data(), x.data() + x.size());
  };
  if (problem.lower.size() == problem.rho.size())
  {
    optimiser.set_lower_bounds(to_std(problem.lower));
  }
  if (problem.upper.size() == problem.rho.size())
  {
    optimiser.set_upper_bounds(to_std(problem.upper));
  }
  optimiser.set_xtol_rel(limits.relative_step);
  optimiser.set_maxeval(limits.evaluations);
  struct Context
  {
    const Problem & problem;
    const Settings & settings;
    Method method;
    Optimisation & result;
  } context{problem, settings, method, result};
  optimiser.set_min_objective(
    [](const std::vector<double> & x, std::vector<double> & slope, void * data) {
      auto & [the_problem, the_settings, the_method, the_result] = *static_cast<Context *>(data);
      const VectorD rho = Eigen::Map<const VectorD>(x.data(), static_cast<Eigen::Index>(x.size()));
      const Gradient at = gradient(the_problem, the_settings, rho, the_method);
      for (std::size_t i = 0; i < slope.size(); ++i)
      {
        slope[i] = at.gradient(0, static_cast<Eigen::Index>(i));
      }
      ++the_result.evaluations;
      the_result.history.push_back({at.costs(0), rho});
      return at.costs(0);
    },
    &context);
  std::vector<double> x = to_std(clamped(problem, problem.rho));
  try
  {
    const nlopt::result status = optimiser.optimize(x, result.cost);
    result.converged = status > 0 && status != nlopt::MAXEVAL_REACHED;
  }
  catch (const nlopt::roundoff_limited &)
  {
    result.converged = true;  // no further descent is possible in floating point
  }
  // The best of all evaluations: L-BFGS may end on a later, no better one.
  for (const OptimisationStep & step : result.history)
  {
    if (result.rho.size() == 0 || step.cost < result.cost)
    {
      result.rho = step.rho;
      result.cost = step.cost;
    }
  }
  return result;
}

}  // namespace fivebar_control::multibody
