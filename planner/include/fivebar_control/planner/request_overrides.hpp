// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "fivebar_control/planner/plan_request.hpp"

namespace fivebar_control
{

/// Values that replace keys of a curve file, wherever they come from.
struct RequestOverrides
{
  std::optional<std::string> solver;  ///< "riccati", "lbfgs", "mma" or "slsqp"
  std::optional<std::string> guess;   ///< "inverse-dynamics" or "zero"
  /// V, or `unbounded`; nothing inside: the robot's own limit.
  std::optional<std::optional<double>> voltage_limit;
  std::optional<double> time_step;                              ///< s
  std::optional<double> alpha, beta, gamma, soft_voltage, rho;  ///< of the last stage
  std::optional<int> max_iterations;
  std::optional<double> tolerance;
};

/// The request with these values. Throws InputError with the key.
PlanRequest with_overrides(PlanRequest request, const RequestOverrides & overrides);

}  // namespace fivebar_control
