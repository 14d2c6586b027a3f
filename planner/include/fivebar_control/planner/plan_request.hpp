// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/planner/curve.hpp"
#include "fivebar_control/planner/solver_report.hpp"
#include "fivebar_control/planner/tracking_problem.hpp"

namespace fivebar_control
{

/// Which voltages the solver starts from.
enum class InitialGuess
{
  inverse_dynamics,  ///< what the model needs along the curve, clipped to the bounds
  zero,              ///< the published way
};

enum class SolverKind
{
  riccati,  ///< Gauss-Newton with Riccati recursion
  lbfgs,    ///< NLopt's L-BFGS on the adjoint gradient
  mma,      ///< NLopt's method of moving asymptotes
  slsqp,    ///< NLopt's SQP; cubic cost in the number of nodes
};

std::string to_string(SolverKind kind);

/// The content of a curve file.
struct PlanRequest
{
  std::string name;
  CurvePointer curve;        ///< with placement and ramps
  double time_step = 0.005;  ///< s
  double accuracy = 0.005;   ///< m, by which the plan may miss the curve
  std::size_t intervals = 0;
  std::optional<Eigen::Vector4d> start;  ///< nothing: at rest at the curve's start
  std::vector<CostWeights> stages;       ///< at least one; each starts from the result before
  /// Nothing: the robot's limit.
  std::optional<double> voltage;
  double voltage_rate = unbounded;
  InitialGuess guess = InitialGuess::inverse_dynamics;
  SolverKind solver = SolverKind::riccati;
  SolverOptions options;
  std::string canonical_text;  ///< the file as canonical YAML
};

/// Reads and validates a curve file (format: config/curves/, docs/planning.md). Throws InputError.
PlanRequest load_plan_request(const std::string & path);
PlanRequest parse_plan_request(const std::string & text, const std::string & name);

/// Number of intervals for a duration; throws InputError if the step does not divide it.
std::size_t count_intervals(double duration, double time_step);

}  // namespace fivebar_control
