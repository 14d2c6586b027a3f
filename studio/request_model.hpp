// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "fivebar_control/planner/plan_request.hpp"
#include "folder.hpp"

namespace fivebar_control
{

/// Reads a curve file's text as `fivebar plan` reads the file, in the folder. Throws InputError as
/// that does, and for what a page may not ask for: samples from outside of the folder, and more
/// nodes than can be planned while somebody waits.
PlanRequest studio_request(
  const std::string & text, const std::string & name, const Folder & folder);

/// The keys and values of a curve file, for the handles and sliders of a page. Numbers are numbers,
/// other scalars are texts.
nlohmann::json request_model(const std::string & text, const std::string & name);

}  // namespace fivebar_control
