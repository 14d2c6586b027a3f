// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/plan/verdict.hpp"

namespace fivebar_control
{

std::string to_string(Verdict verdict)
{
  switch (verdict)
  {
    case Verdict::converged:
      return "converged";
    case Verdict::stalled:
      return "stalled";
    case Verdict::iteration_limit:
      return "iteration limit";
    case Verdict::cancelled:
      return "cancelled";
  }
  return "unknown";
}

}  // namespace fivebar_control
