// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/riccati_solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace fivebar_control
{
namespace
{

constexpr double sufficient_decrease = 1e-4;
constexpr double shortest_step = 1e-4;
constexpr double first_regularization = 1e-3;
constexpr double largest_regularization = 1e6;
/// A predicted relative decrease that J, summed up in double precision, cannot show any more.
constexpr double round_off = 1e-13;
/// m² s, what is added to J where changes are judged by their share of it: P within 0.1 um for a
/// second. A J near zero has no digits that are more than round-off.
constexpr double nothing_to_gain = 1e-14;
constexpr int most_unbounded_steps = 5;
/// Share of the inputs at a bound from which on the first step had better ignore the bounds.
constexpr double crowded = 0.25;

/// Puts the voltages of the guess within the bounds, clearly inside those of the rate.
void clamp_guess(const TrackingProblem & problem, Trajectory & trajectory)
{
  const double reach = 0.99 * problem.bounds.voltage_rate * problem.step;
  for (std::size_t j = 0; j < 2; ++j)
  {
    double * u = trajectory.input[j];
    u[0] = clamp_voltage(problem.bounds, u[0]);
    for (std::size_t i = 1; i < problem.nodes(); ++i)
    {
      u[i] = std::clamp(clamp_voltage(problem.bounds, u[i]), u[i - 1] - reach, u[i - 1] + reach);
    }
  }
}

/// What the line search decreases.
double merit(const Trajectory & trajectory) { return trajectory.cost.total() + trajectory.barrier; }

}  // namespace

RiccatiSolver::RiccatiSolver(std::size_t nodes)
{
  trial_.resize(nodes);
  directions_.resize(nodes);
  gains_.resize(nodes);
  gradient_.resize(nodes);
}

struct RiccatiSolver::Run
{
  const TrackingProblem & problem;
  const SolverOptions & options;
  const Progress & progress;
  Trajectory & trajectory;
  SolverReport report;
  InputBounds bounds;
  bool bounds_released = false;
  bool is_last_stage = true;  ///< nothing of the barrier is left to take away
  bool projecting = false;    ///< the steps are those of sweep_projected()
  double regularization = 0.0;
  double tolerance = 0.0;
};

bool RiccatiSolver::make_guess_usable(Run & run)
{
  constexpr int attempts = 40;
  for (int attempt = 0; attempt < attempts; ++attempt)
  {
    const double factor = attempt == 0 ? 1.0 : (attempt + 1 < attempts ? 0.5 : 0.0);
    for (std::size_t j = 0; j < 2; ++j)
    {
      for (std::size_t i = 0; i < run.problem.nodes(); ++i)
      {
        const double u = factor * run.trajectory.input[j][i];
        run.trajectory.input[j][i] = std::isfinite(u) ? u : 0.0;
      }
    }
    clamp_guess(run.problem, run.trajectory);
    if (roll_out(run.problem, run.trajectory, directions_))
    {
      return true;
    }
    run.report.guess_was_reduced = true;
  }
  return false;
}

bool RiccatiSolver::guess_is_interior(const Run & run) const
{
  for (std::size_t j = 0; j < 2; ++j)
  {
    const double * u = run.trajectory.input[j];
    for (std::size_t i = 0; i < run.problem.nodes(); ++i)
    {
      if (std::abs(u[i]) >= run.problem.bounds.voltage)
      {
        return false;
      }
    }
  }
  return true;
}

/// The barrier of the trajectory as it stands.
void RiccatiSolver::update_barrier(Run & run)
{
  run.trajectory.barrier = 0.0;
  if (run.bounds.rate_barrier > 0.0)
  {
    const double reach = run.bounds.voltage_rate * run.problem.step;
    for (std::size_t j = 0; j < 2; ++j)
    {
      const double * u = run.trajectory.input[j];
      for (std::size_t i = 1; i < run.problem.nodes(); ++i)
      {
        run.trajectory.barrier += rate_barrier(run.bounds.rate_barrier, u[i] - u[i - 1], reach);
      }
    }
  }
}

/// Steps until nothing changes any more. With rate bounds, again and again with a smaller barrier,
/// until what it may cost, its weight times the number of bounds, is below the tolerance.
void RiccatiSolver::run_to_the_end(Run & run)
{
  const double rate_bounds = 4.0 * static_cast<double>(run.problem.intervals);
  for (;;)
  {
    const double gap = rate_bounds * run.bounds.rate_barrier;
    run.tolerance = std::max(run.options.tolerance, 0.01 * gap / merit(run.trajectory));
    run.report.verdict = Verdict::iteration_limit;
    run.is_last_stage = gap <= run.options.tolerance * run.trajectory.cost.total();
    run.projecting = false;
    while (run.report.iterations < run.options.max_iterations && iterate(run))
    {
    }
    if (run.report.verdict != Verdict::converged || run.is_last_stage)
    {
      return;
    }
    run.bounds.rate_barrier *= 0.1;
    update_barrier(run);
  }
}

/// After a line search that found nothing.
bool RiccatiSolver::retry_or_end(Run & run, bool exhausted)
{
  if (exhausted || run.regularization >= largest_regularization)
  {
    run.report.verdict = exhausted ? Verdict::converged : Verdict::stalled;
    return false;
  }
  run.regularization = std::max(first_regularization, 10.0 * run.regularization);
  return true;
}

void RiccatiSolver::relax_regularization(Run & run, double length)
{
  run.regularization =
    length == 1.0 && run.regularization > first_regularization ? 0.1 * run.regularization : 0.0;
}

/// Ends the steps that ignore the bounds: their result, clamped, is where the bounded steps start.
void RiccatiSolver::impose_bounds(Run & run)
{
  run.bounds_released = false;
  run.bounds.voltage = run.problem.bounds.voltage;
  run.regularization = 0.0;
  make_guess_usable(run);
  update_barrier(run);
}

/// From a guess that feels no bound yet, as u = 0, unbounded steps find the neighbourhood of the
/// curve in a few iterations; with many bounds in the way it takes much longer. True if the bounds
/// were released.
bool RiccatiSolver::release_bounds(Run & run, const SweepReport & sweep) const
{
  const double inputs = 2.0 * static_cast<double>(run.problem.nodes());
  if (static_cast<double>(sweep.active_bounds) <= crowded * inputs || !guess_is_interior(run))
  {
    return false;
  }
  run.bounds_released = true;
  run.bounds.voltage = unbounded;
  return true;
}

/// The length of the step after which the merit is low enough, in trial_; 0 if there is none.
double RiccatiSolver::search_line(Run & run, const SweepReport & sweep, bool only_a_whole_step)
{
  const double before = merit(run.trajectory);
  for (double length = 1.0; sweep.convex && length >= shortest_step; length *= 0.5)
  {
    const double predicted =
      length * sweep.linear_decrease + 0.5 * length * length * sweep.quadratic_decrease;
    if (
      roll_out(run.problem, run.bounds, run.trajectory, gains_, length, trial_, directions_) &&
      merit(trial_) <= before + sufficient_decrease * predicted)
    {
      return length;
    }
    if (only_a_whole_step)
    {
      break;
    }
  }
  // The rollouts overwrote the stage directions.
  roll_out(run.problem, run.trajectory, directions_);
  return 0.0;
}

/// One sweep and one line search. False when the solver is done; the verdict says why.
bool RiccatiSolver::iterate(Run & run)
{
  if (run.projecting)
  {
    return iterate_projected(run);
  }
  SolverReport & report = run.report;
  const SweepReport sweep = sweep_riccati(
    run.problem, run.bounds, run.trajectory, directions_, run.regularization, gains_, gradient_);
  if (report.history.size() == 1 && !run.bounds_released)
  {
    report.initial_gradient = sweep.projected_gradient;
    if (release_bounds(run, sweep))
    {
      return true;
    }
  }
  const double before = merit(run.trajectory);
  const double scale = before + nothing_to_gain;
  // What the model says there is to gain. If it is too little, a whole step is tried and no other.
  const double promised = -0.5 * sweep.linear_decrease / scale;
  const bool exhausted =
    sweep.convex && run.regularization == 0.0 && promised <= std::max(round_off, run.tolerance);

  const double alpha = search_line(run, sweep, exhausted);
  if (alpha == 0.0)
  {
    if (sweep.convex && sweep.active_bounds > 0 && (run.is_last_stage || !exhausted))
    {
      run.projecting = true;
      return true;
    }
    return retry_or_end(run, exhausted);
  }
  if (!accept(run, sweep, alpha))
  {
    return false;
  }
  const double change = (before - merit(run.trajectory)) / scale;
  const bool changed_little = alpha == 1.0 && change <= run.tolerance;
  if (
    run.regularization == 0.0 &&
    (promised <= run.tolerance || (changed_little && promised <= 10.0 * run.tolerance)))
  {
    // With bounds it takes the other kind of step to know.
    run.projecting = sweep.active_bounds > 0 && run.is_last_stage;
    if (!run.projecting)
    {
      report.verdict = Verdict::converged;
    }
    return run.projecting;
  }
  relax_regularization(run, alpha);
  if (run.bounds_released && (change < 0.5 || report.iterations >= most_unbounded_steps))
  {
    impose_bounds(run);
  }
  return true;
}

/// One step with the inputs that no bound blocks, and with a stricter end: the step itself must
/// promise less than the tolerance.
bool RiccatiSolver::iterate_projected(Run & run)
{
  Channels<2> & step = trial_.input;  // until the line search needs it
  const SweepReport sweep = sweep_projected(
    run.problem, run.bounds, run.trajectory, directions_, run.regularization, gains_, gradient_,
    step);
  double slope = 0.0;
  for (std::size_t j = 0; j < 2; ++j)
  {
    slope = std::inner_product(step[j], step[j] + run.problem.nodes(), gradient_[j], slope);
  }
  const double before = merit(run.trajectory);
  const double scale = before + nothing_to_gain;
  if (sweep.convex && run.regularization == 0.0 && -0.5 * slope <= run.tolerance * scale)
  {
    run.report.verdict = Verdict::converged;
    return false;
  }
  for (std::size_t i = 0; i < run.problem.nodes(); ++i)
  {
    gains_[i] = {{step[0][i], step[1][i]}, {}};
  }
  for (double length = 1.0; sweep.convex && length >= shortest_step; length *= 0.5)
  {
    if (!roll_out(run.problem, run.bounds, run.trajectory, gains_, length, trial_, directions_))
    {
      continue;
    }
    double expected = 0.0;
    for (std::size_t j = 0; j < 2; ++j)
    {
      for (std::size_t i = 0; i < run.problem.nodes(); ++i)
      {
        expected += gradient_[j][i] * (trial_.input[j][i] - run.trajectory.input[j][i]);
      }
    }
    if (expected < 0.0 && merit(trial_) <= before + sufficient_decrease * expected)
    {
      if (!accept(run, sweep, length))
      {
        return false;
      }
      relax_regularization(run, length);
      return true;
    }
  }
  roll_out(run.problem, run.trajectory, directions_);
  return retry_or_end(run, false);
}

/// Takes the trial for the trajectory. False if the user cancels.
bool RiccatiSolver::accept(Run & run, const SweepReport & sweep, double length)
{
  SolverReport & report = run.report;
  std::swap(run.trajectory, trial_);
  ++report.iterations;
  report.active_bounds = sweep.active_bounds;
  Iteration iteration;
  iteration.number = report.iterations;
  iteration.cost = run.trajectory.cost;
  iteration.projected_gradient = sweep.projected_gradient;
  iteration.step_length = length;
  iteration.active_bounds = sweep.active_bounds;
  iteration.bounded = !run.bounds_released;
  report.history.push_back(iteration);
  if (run.progress && !run.progress(iteration))
  {
    report.verdict = Verdict::cancelled;
    return false;
  }
  return true;
}

SolverReport RiccatiSolver::solve(
  const TrackingProblem & problem, const SolverOptions & options, Trajectory & trajectory,
  const Progress & progress)
{
  Run run{problem, options, progress, trajectory, {}, problem.bounds};
  if (!make_guess_usable(run))
  {
    run.report.verdict = Verdict::stalled;
    return run.report;
  }
  Iteration start;
  start.cost = trajectory.cost;
  run.report.history.push_back(start);
  if (problem.bounds.voltage_rate < unbounded)
  {
    run.bounds.rate_barrier =
      0.1 * trajectory.cost.total() / static_cast<double>(4 * problem.intervals);
  }
  update_barrier(run);
  run_to_the_end(run);
  if (run.bounds_released)
  {
    impose_bounds(run);
    if (run.report.verdict != Verdict::cancelled)
    {
      run_to_the_end(run);
    }
  }
  run.report.final_gradient =
    sweep_adjoint(problem, run.bounds, trajectory, directions_, gradient_);
  return run.report;
}

}  // namespace fivebar_control
