#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "fivebar_control/planner/plan_request.hpp"

namespace fivebar_control::cli
{

/// Options that replace keys of a curve file.
struct RequestOptions
{
  std::string solver;
  std::string guess;
  std::string voltage_limit;
  std::optional<double> time_step;
  std::optional<double> alpha, beta, gamma, soft_voltage, rho;
  std::optional<int> max_iterations;
  std::optional<double> tolerance;

  void add_to(CLI::App & command);
  /// Throws FileError if an option's value makes no sense for this request.
  PlanRequest apply(PlanRequest request) const;
};

}  // namespace fivebar_control::cli
