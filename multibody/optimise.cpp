// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/optimise.hpp"

#include <nlopt.hpp>

#include "dense.hpp"
#include "optimise_bounds.hpp"

namespace fivebar_control::multibody
{
namespace
{

void note(
  Optimisation & result, const OptimisationLimits & limits, double cost, const VectorD & rho,
  double gradient)
{
  result.gradient = gradient;
  result.history.push_back({cost, rho});
  if (limits.progress)
  {
    limits.progress(static_cast<int>(result.history.size()) - 1, cost, gradient);
  }
}

/// The first of a falling row of step lengths that does not raise the cost; nothing changes if none
/// does. Returns how far the parameters moved.
double descend(
  const Problem & problem, const Settings & settings, const VectorD & step, Optimisation & result)
{
  for (double fraction = 1.0; fraction > 1e-6; fraction *= 0.5)
  {
    const VectorD next = clamped(problem, result.rho + fraction * step);
    const double cost = simulate_costs<double>(problem, settings, next)(0);
    ++result.evaluations;
    if (cost <= result.cost)
    {
      const double moved = (next - result.rho).norm();
      result.rho = next;
      result.cost = cost;
      return moved;
    }
  }
  return -1.0;
}

}  // namespace

Optimisation gauss_newton(
  const Problem & problem, const Settings & settings, const OptimisationLimits & limits)
{
  if (!problem.costs.front()->is_sum_of_squares())
  {
    throw MechanismError("Gauss-Newton needs a first cost that is a sum of squares");
  }
  Optimisation result;
  result.rho = clamped(problem, problem.rho);
  DirectResult at = direct_with_states(problem, settings, result.rho, true);
  result.evaluations = 1;
  result.cost = at.gradient.costs(0);
  VectorD gradient = at.gradient.gradient.row(0).transpose();
  note(result, limits, result.cost, result.rho, free_size(problem, result.rho, gradient));
  while (result.evaluations < limits.evaluations)
  {
    if (result.gradient <= limits.gradient || result.cost <= limits.cost)
    {
      result.end = OptimisationEnd::converged;
      break;
    }
    const VectorD step = -least_squares(at.gauss_newton, gradient);
    const double moved = descend(problem, settings, step, result);
    if (moved < 0.0)
    {
      // No descent left: the optimum to the accuracy of the integration, if the step was small.
      result.end = step.norm() <= 1e-6 * (1.0 + result.rho.norm()) ? OptimisationEnd::converged
                                                                   : OptimisationEnd::stalled;
      break;
    }
    ++result.iterations;
    at = direct_with_states(problem, settings, result.rho, true);
    ++result.evaluations;
    gradient = at.gradient.gradient.row(0).transpose();
    note(result, limits, result.cost, result.rho, free_size(problem, result.rho, gradient));
    if (moved <= limits.relative_step * (1.0 + result.rho.norm()))
    {
      result.end = OptimisationEnd::converged;
      break;
    }
  }
  result.converged = result.end == OptimisationEnd::converged;
  return result;
}

namespace
{

/// What NLopt calls.
struct Objective
{
  const Problem & problem;
  const Settings & settings;
  Method method;
  const OptimisationLimits & limits;
  Optimisation & result;
  nlopt::opt & optimiser;

  static double call(const std::vector<double> & x, std::vector<double> & slope, void * data)
  {
    auto & self = *static_cast<Objective *>(data);
    const VectorD rho = Eigen::Map<const VectorD>(x.data(), static_cast<Eigen::Index>(x.size()));
    const Gradient at = gradient(self.problem, self.settings, rho, self.method);
    for (std::size_t i = 0; i < slope.size(); ++i)
    {
      slope[i] = at.gradient(0, static_cast<Eigen::Index>(i));
    }
    ++self.result.evaluations;
    const double cost = at.costs(0);
    const double size = free_size(self.problem, rho, at.gradient.row(0).transpose());
    if (self.result.rho.size() == 0 || cost < self.result.cost)
    {
      // L-BFGS may end on a later, no better point.
      self.result.rho = rho;
      self.result.cost = cost;
      note(self.result, self.limits, cost, rho, size);
    }
    if (size <= self.limits.gradient || cost <= self.limits.cost)
    {
      self.optimiser.force_stop();
    }
    return cost;
  }
};

std::vector<double> to_std(const VectorD & x) { return {x.data(), x.data() + x.size()}; }

}  // namespace

Optimisation quasi_newton(
  const Problem & problem, const Settings & settings, Method method,
  const OptimisationLimits & limits, QuasiNewton algorithm)
{
  Optimisation result;
  const auto size = static_cast<unsigned>(problem.rho.size());
  nlopt::opt optimiser(algorithm == QuasiNewton::lbfgs ? nlopt::LD_LBFGS : nlopt::LD_SLSQP, size);
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
  Objective objective{problem, settings, method, limits, result, optimiser};
  optimiser.set_min_objective(&Objective::call, &objective);
  std::vector<double> x = to_std(clamped(problem, problem.rho));
  double unused = 0.0;
  try
  {
    const nlopt::result status = optimiser.optimize(x, unused);
    result.end =
      status == nlopt::MAXEVAL_REACHED ? OptimisationEnd::iterations : OptimisationEnd::converged;
  }
  catch (const nlopt::forced_stop &)
  {
    result.end = OptimisationEnd::converged;
  }
  catch (const nlopt::roundoff_limited &)
  {
    result.end = OptimisationEnd::converged;  // no further descent is possible in floating point
  }
  catch (const std::runtime_error & error)
  {
    // NLopt reports a failed line search like this; what the mechanism says goes on.
    if (dynamic_cast<const Error *>(&error) != nullptr || result.rho.size() == 0)
    {
      throw;
    }
    result.end = OptimisationEnd::stalled;
  }
  result.iterations = static_cast<int>(result.history.size()) - 1;
  result.converged = result.end == OptimisationEnd::converged;
  return result;
}

}  // namespace fivebar_control::multibody
