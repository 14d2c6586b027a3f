// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "fivebar_control/multibody/optimise.hpp"
#include "optimise_bounds.hpp"
#include "time_recursion.hpp"

namespace fivebar_control::multibody
{
namespace
{

class LevenbergMarquardt
{
public:
  LevenbergMarquardt(
    const Problem & problem, const Settings & settings, const OptimisationLimits & limits)
  : problem_(problem), settings_(settings), limits_(limits), grid_(problem)
  {
  }

  Optimisation run()
  {
    result_.rho = clamped(problem_, problem_.rho);
    Trajectory motion = simulate(problem_, settings_, result_.rho);
    result_.evaluations = 1;
    result_.cost = motion.costs(0);
    double damping = 1.0;  // relative to the sum of all curvatures
    while (true)
    {
      const MotionModel model = linearise_motion(problem_, grid_, motion);
      const TimeRecursion recursion(model, motion.phases.front().form->size(), grid_.count());
      if (!look(recursion) || !descend(recursion, damping, motion))
      {
        break;
      }
      ++result_.iterations;
    }
    result_.converged = result_.end == OptimisationEnd::converged;
    return result_;
  }

private:
  /// Notes where we are; false if that is the end.
  bool look(const TimeRecursion & recursion)
  {
    MatrixD diagonal;
    recursion.gradient(by_node_, diagonal);
    curvature_ = diagonal.sum();
    VectorD gradient(result_.rho.size());
    held_ = MatrixD::Zero(by_node_.rows(), by_node_.cols());
    for_each_node([&](Eigen::Index k, Eigen::Index i, Eigen::Index parameter) {
      gradient(parameter) = by_node_(k, i);
      held_(k, i) = is_held(problem_, result_.rho, gradient, parameter) ? 1.0 : 0.0;
    });
    result_.gradient = free_size(problem_, result_.rho, gradient);
    result_.history.push_back({result_.cost, result_.rho});
    if (limits_.progress)
    {
      limits_.progress(result_.iterations, result_.cost, result_.gradient);
    }
    if (result_.gradient <= limits_.gradient || result_.cost <= limits_.cost || last_move_small_)
    {
      result_.end = OptimisationEnd::converged;
      return false;
    }
    result_.end = OptimisationEnd::iterations;
    return result_.evaluations < limits_.evaluations;
  }

  /// Takes a step that lowers the cost, with more damping as long as there is none.
  bool descend(const TimeRecursion & recursion, double & damping, Trajectory & motion)
  {
    while (result_.evaluations < limits_.evaluations)
    {
      const MatrixD steps = recursion.step(damping * curvature_, held_);
      // Where no bound is met: what the model promises for this step.
      const double promised =
        0.5 * (damping * curvature_ * steps.squaredNorm() - by_node_.cwiseProduct(steps).sum());
      const double before = result_.cost;
      VectorD next = result_.rho;
      for_each_node([&](Eigen::Index k, Eigen::Index i, Eigen::Index parameter) {
        next(parameter) += steps(k, i);
      });
      next = clamped(problem_, next);
      const double moved = (next - result_.rho).norm();
      ++result_.evaluations;
      if (try_to(next, motion))
      {
        const double kept = (before - result_.cost) / std::max(promised, 1e-300);
        damping = std::clamp(damping * (kept > 0.75 ? 0.05 : kept > 0.25 ? 0.5 : 4.0), 1e-15, 1e12);
        last_move_small_ = moved <= limits_.relative_step * (1.0 + next.norm());
        return true;
      }
      if (moved <= 1e-9 * (1.0 + next.norm()))
      {
        // The cost does not fall any more, however short the step.
        result_.end = OptimisationEnd::converged;
        return false;
      }
      damping *= 10.0;
      if (damping > 1e12)
      {
        result_.end = OptimisationEnd::stalled;
        return false;
      }
    }
    return false;
  }

  bool try_to(const VectorD & next, Trajectory & motion)
  {
    try
    {
      Trajectory tried = simulate(problem_, settings_, next);
      if (!(tried.costs(0) < result_.cost))
      {
        return false;
      }
      motion = std::move(tried);
    }
    catch (const MechanismError &)
    {
      return false;  // a step too far: more damping
    }
    result_.rho = next;
    result_.cost = motion.costs(0);
    return true;
  }

  template <class Use>
  void for_each_node(Use && use) const
  {
    for (Eigen::Index i = 0; i < grid_.count(); ++i)
    {
      const Input & input = problem_.inputs[grid_.inputs[static_cast<std::size_t>(i)]];
      for (Eigen::Index k = 0; k < grid_.nodes; ++k)
      {
        use(k, i, input.first_parameter + k);
      }
    }
  }

  const Problem & problem_;
  const Settings & settings_;
  const OptimisationLimits & limits_;
  ControlGrid grid_;
  MatrixD by_node_, held_;
  double curvature_ = 0.0;
  bool last_move_small_ = false;
  Optimisation result_;
};

}  // namespace

std::string riccati_obstacle(const Problem & problem, const Settings & settings)
{
  if (!problem.costs.front()->is_sum_of_squares())
  {
    return "Gauss-Newton needs a first cost that is a sum of squares";
  }
  if (problem.structural > 0)
  {
    return "parameters that are no inputs act at all times";
  }
  if (!problem.events.empty() || problem.end)
  {
    return "the motion has events";
  }
  const FormTraits & form = traits(settings.formulation);
  if (form.scheme != nullptr || form.driven || settings.integrator != Integrator::rk4)
  {
    return "the steps must be those of rk4";
  }
  const ControlGrid grid(problem);
  if (grid.nodes < 2)
  {
    return "no input's nodes are parameters";
  }
  for (const std::size_t i : grid.inputs)
  {
    if (problem.inputs[i].step != grid.step || problem.inputs[i].nodes.size() != grid.nodes)
    {
      return "the inputs have different nodes";
    }
  }
  const double intervals = static_cast<double>(grid.nodes - 1);
  const double steps = std::ceil(problem.duration / settings.step - 1e-9);
  const bool fits = std::abs(grid.step * intervals - problem.duration) < 1e-9 * problem.duration &&
                    std::abs(std::remainder(steps, intervals)) < 1e-9;
  return fits ? "" : "the nodes do not fill the duration in whole steps";
}

Optimisation riccati_gauss_newton(
  const Problem & problem, const Settings & settings, const OptimisationLimits & limits)
{
  const std::string reason = riccati_obstacle(problem, settings);
  if (!reason.empty())
  {
    throw MechanismError("the structure in time cannot be used: " + reason);
  }
  return LevenbergMarquardt(problem, settings, limits).run();
}

}  // namespace fivebar_control::multibody
