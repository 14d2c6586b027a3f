// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/methods/nlopt_solver.hpp"

#include <algorithm>
#include <cmath>
#include <nlopt.hpp>
#include <stdexcept>

#include "fivebar_control/planner/backward_sweep.hpp"
#include "fivebar_control/planner/planner.hpp"

namespace fivebar_control
{
namespace
{

nlopt::algorithm algorithm_of(SolverKind kind)
{
  switch (kind)
  {
    case SolverKind::mma:
      return nlopt::LD_MMA;
    case SolverKind::slsqp:
      return nlopt::LD_SLSQP;
    default:
      return nlopt::LD_LBFGS;
  }
}

/// NLopt sees the voltages as one vector: all of motor 1, then all of motor 4.
class Objective
{
public:
  Objective(const TrackingProblem & problem, const Progress & progress, SolverReport & report)
  : problem_(problem), progress_(progress), report_(report)
  {
    trajectory_.resize(problem.nodes());
    directions_.resize(problem.nodes());
    gradient_.resize(problem.nodes());
  }

  double operator()(const std::vector<double> & u, std::vector<double> & gradient)
  {
    const std::size_t nodes = problem_.nodes();
    for (std::size_t j = 0; j < 2; ++j)
    {
      std::copy_n(u.data() + j * nodes, nodes, trajectory_.input[j]);
    }
    if (!roll_out(problem_, trajectory_, directions_))
    {
      // Out of the workspace: a high plateau makes the line search turn back.
      std::fill(gradient.begin(), gradient.end(), 0.0);
      return scale_ * 1e6;
    }
    const double norm =
      sweep_adjoint(problem_, problem_.bounds, trajectory_, directions_, gradient_);
    if (!gradient.empty())
    {
      for (std::size_t j = 0; j < 2; ++j)
      {
        std::transform(
          gradient_[j], gradient_[j] + nodes,
          gradient.data() + static_cast<std::ptrdiff_t>(j * nodes),
          [](double g) { return scale_ * g; });
      }
    }
    const double cost = trajectory_.cost.total();
    if (report_.history.empty() || cost < best_)
    {
      best_ = cost;
      best_input_ = u;
      report_.final_gradient = norm;
      Iteration iteration;
      iteration.number = static_cast<int>(report_.history.size());
      iteration.cost = trajectory_.cost;
      iteration.projected_gradient = norm;
      if (report_.history.empty())
      {
        report_.initial_gradient = norm;
      }
      report_.history.push_back(iteration);
      if (progress_ && iteration.number > 0 && !progress_(iteration))
      {
        throw nlopt::forced_stop();
      }
    }
    return scale_ * cost;
  }

  const std::vector<double> & best_input() const { return best_input_; }

  static double call(const std::vector<double> & u, std::vector<double> & gradient, void * self)
  {
    return (*static_cast<Objective *>(self))(u, gradient);
  }

private:
  const TrackingProblem & problem_;
  const Progress & progress_;
  SolverReport & report_;
  Trajectory trajectory_;
  StageDirections directions_;
  Channels<2> gradient_;
  std::vector<double> best_input_;
  double best_ = 0.0;
  /// NLopt's L-BFGS takes gradients below a fixed size for zero; costs in m² are small numbers.
  static constexpr double scale_ = 1e7;
};

}  // namespace

SolverReport solve_with_nlopt(
  SolverKind kind, const TrackingProblem & problem, const SolverOptions & options,
  Trajectory & trajectory, const Progress & progress)
{
  if (problem.bounds.voltage_rate < unbounded)
  {
    throw InputError("voltage-rate limits need the solver 'riccati'");
  }
  const std::size_t nodes = problem.nodes();
  SolverReport report;
  Objective objective(problem, progress, report);
  std::vector<double> u(2 * nodes);
  for (std::size_t i = 0; i < 2 * nodes; ++i)
  {
    u[i] = clamp_voltage(problem.bounds, trajectory.input[i / nodes][i % nodes]);
  }

  nlopt::opt optimiser(algorithm_of(kind), static_cast<unsigned>(2 * nodes));
  optimiser.set_min_objective(&Objective::call, &objective);
  if (problem.bounds.voltage < unbounded)
  {
    optimiser.set_lower_bounds(-problem.bounds.voltage);
    optimiser.set_upper_bounds(problem.bounds.voltage);
  }
  optimiser.set_ftol_rel(options.tolerance);
  optimiser.set_maxeval(options.max_iterations);
  double cost = 0.0;
  try
  {
    const nlopt::result outcome = optimiser.optimize(u, cost);
    report.verdict =
      outcome == nlopt::MAXEVAL_REACHED ? Verdict::iteration_limit : Verdict::converged;
  }
  catch (const nlopt::forced_stop &)
  {
    report.verdict = Verdict::cancelled;
  }
  catch (const std::exception &)
  {
    // NLopt reports round-off and failed line searches as exceptions; the best point stands.
    report.verdict = Verdict::stalled;
  }
  report.iterations = static_cast<int>(report.history.size()) - 1;
  for (std::size_t i = 0; i < 2 * nodes; ++i)
  {
    trajectory.input[i / nodes][i % nodes] = objective.best_input()[i];
  }
  StageDirections directions;
  directions.resize(nodes);
  roll_out(problem, trajectory, directions);
  for (std::size_t i = 0; i < 2 * nodes; ++i)
  {
    const double value = std::abs(trajectory.input[i / nodes][i % nodes]);
    report.active_bounds += value >= problem.bounds.voltage * (1.0 - 1e-12) ? 1U : 0U;
  }
  return report;
}

SolverReport solve_by_any_method(
  const PlanRequest & request, const TrackingProblem & problem, Trajectory & trajectory,
  const Progress & progress)
{
  return request.solver == SolverKind::riccati
           ? solve_by_riccati(request, problem, trajectory, progress)
           : solve_with_nlopt(request.solver, problem, request.options, trajectory, progress);
}

}  // namespace fivebar_control
