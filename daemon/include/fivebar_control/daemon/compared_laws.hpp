// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fivebar_control/controller/settings.hpp"
#include "fivebar_control/plan/plan.hpp"

namespace fivebar_control
{

/// One way to play a plan: a row or column of a comparison.
struct ComparedLaw
{
  std::string name;  ///< for people
  std::string key;   ///< for JSON
  ControlMode mode = ControlMode::feedback_only;
  ControllerSettings settings;
};

/// PD alone and feedforward + PD; with the observer along the plan, gains along it and looking
/// ahead within the limits, unless the plan has learned, which the observer would not know; and
/// what the file itself says, where that is none of these.
std::vector<ComparedLaw> laws_to_compare(const ControllerSettings & file, const Plan & plan);

}  // namespace fivebar_control
