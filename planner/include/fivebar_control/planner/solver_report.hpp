// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "fivebar_control/plan/verdict.hpp"
#include "fivebar_control/planner/tracking_problem.hpp"

namespace fivebar_control
{

/// One accepted step.
struct Iteration
{
  int stage = 0;
  int number = 0;                   ///< from 1 within a solver run; 0 is the initial guess
  CostParts cost;                   ///< after the step
  double projected_gradient = 0.0;  ///< before the step (0: not known yet)
  double step_length = 0.0;         ///< alpha of the line search
  std::size_t active_bounds = 0;    ///< inputs held at a bound
  bool bounded = true;              ///< false: one of the first steps, which ignore the bounds
};

struct SolverReport
{
  Verdict verdict = Verdict::stalled;
  int iterations = 0;
  double initial_gradient = 0.0;  ///< projected norm at the initial guess
  double final_gradient = 0.0;    ///< projected norm at the result
  std::size_t active_bounds = 0;
  bool guess_was_reduced = false;  ///< the initial voltages led out of the workspace
  std::vector<Iteration> history;
};

struct SolverOptions
{
  int max_iterations = 500;
  double tolerance = 1e-8;  ///< relative change of J
};

/// Called after each iteration; return false to stop.
using Progress = std::function<bool(const Iteration &)>;

}  // namespace fivebar_control
