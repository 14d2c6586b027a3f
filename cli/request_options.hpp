// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "fivebar_control/planner/request_overrides.hpp"

namespace fivebar_control::cli
{

/// Options that replace keys of a curve file.
struct RequestOptions
{
  RequestOverrides overrides;
  std::string voltage_limit;  ///< a number, "none" or "robot"

  void add_to(CLI::App & command);
  /// Throws InputError if an option's value makes no sense for this request.
  PlanRequest apply(PlanRequest request) const;
};

}  // namespace fivebar_control::cli
