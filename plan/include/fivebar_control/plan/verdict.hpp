// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fivebar_control
{

/// How a solver ended.
enum class Verdict
{
  converged,        ///< the last full step changed J by less than the tolerance
  stalled,          ///< no step decreases J any more, but the tolerance was not reached
  iteration_limit,  ///< stopped while still making progress
  cancelled,        ///< the caller's progress function said stop
};

std::string to_string(Verdict verdict);

}  // namespace fivebar_control
