// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/model/robot_model.hpp"

namespace CLI
{
class App;
}

namespace fivebar_control::cli
{

/// Whether these motors were commissioned, with this robot and this calibration.
struct Commissioning
{
  bool may_drive = true;
  std::string state = "not needed";  ///< "commissioned", "ignored", "missing"; part of JSON
  std::string stamp, objection;      ///< empty where there is none
};

/// Simulated motors need no stamp. What is missing is said on standard error: as a refusal, or
/// loudly if it is to be ignored.
Commissioning commissioning_of(
  const std::string & hardware, const std::string & calibration, const std::string & stamp,
  const RobotModel & robot, bool ignored);

void add_stamp_options(CLI::App & command, std::string & stamp, bool & uncommissioned);

}  // namespace fivebar_control::cli
