// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/commission/step.hpp"

namespace fivebar_control::cli
{

/// The measurements of a step with their verdicts, and the sentences about what is wrong.
void print_step(const commission::StepResult & result);

}  // namespace fivebar_control::cli
