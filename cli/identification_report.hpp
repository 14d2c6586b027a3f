// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fivebar_control/learning/identified_file.hpp"

namespace fivebar_control::cli
{

/// What an identification was made from and gave.
struct IdentificationReport
{
  const RobotModel & robot;
  const std::vector<RecordedMotion> & motions;
  const Identification & found;
  double plan_coulomb_velocity = 0.02;  ///< rad/s, of the file that is written
};

/// The one-screen summary.
std::string summary(const IdentificationReport & report);
/// Keys are documented in docs/commands.md and stable.
nlohmann::json to_json(const IdentificationReport & report);
/// One HTML page: figures, and of each log the measured and predicted motion with the residuals.
std::string identification_page(const IdentificationReport & report);

}  // namespace fivebar_control::cli
