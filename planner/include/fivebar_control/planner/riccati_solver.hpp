// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fivebar_control/planner/backward_sweep.hpp"
#include "fivebar_control/planner/solver_report.hpp"

namespace fivebar_control
{

/// Gauss-Newton with a Riccati recursion, exact bounds and a line search (docs/planning.md,
/// "Solver"). Deterministic. All memory is taken by the constructor.
class RiccatiSolver
{
public:
  explicit RiccatiSolver(std::size_t nodes);

  /// Improves trajectory.input, whose states and cost are filled. Voltages of the guess that break
  /// the bounds are clamped; a guess that leaves the workspace is scaled down until it does not.
  SolverReport solve(
    const TrackingProblem & problem, const SolverOptions & options, Trajectory & trajectory,
    const Progress & progress = {});

  /// dJ/du of the last trajectory that solve() returned.
  const Channels<2> & gradient() const { return gradient_; }

private:
  struct Run;  // the state of one solve()
  bool make_guess_usable(Run & run);
  bool guess_is_interior(const Run & run) const;
  void update_barrier(Run & run);
  void impose_bounds(Run & run);
  void run_to_the_end(Run & run);
  bool iterate(Run & run);
  bool release_bounds(Run & run, const SweepReport & sweep) const;
  double search_line(Run & run, const SweepReport & sweep, bool only_a_whole_step);
  bool iterate_projected(Run & run);
  bool retry_or_end(Run & run, bool exhausted);
  void relax_regularization(Run & run, double length);
  bool accept(Run & run, const SweepReport & sweep, double length);

  Trajectory trial_;
  StageDirections directions_;
  std::vector<NodeGain> gains_;
  Channels<2> gradient_;
};

}  // namespace fivebar_control
