#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "fivebar_control/planner/plan_request.hpp"

namespace fivebar_control
{

/// A value that makes no sense for a request. what() reads "key: what was expected".
class InvalidOverride : public std::invalid_argument
{
public:
  InvalidOverride(const std::string & which, const std::string & expectation)
  : std::invalid_argument(which + ": " + expectation), key(which), message(expectation)
  {
  }
  std::string key, message;
};

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

/// The request with these values. Throws InvalidOverride.
PlanRequest with_overrides(PlanRequest request, const RequestOverrides & overrides);

}  // namespace fivebar_control
