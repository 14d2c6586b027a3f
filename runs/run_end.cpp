// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/runs/run_end.hpp"

namespace fivebar_control
{

const char * to_string(RunEnd end)
{
  switch (end)
  {
    case RunEnd::finished:
      return "finished";
    case RunEnd::stopped:
      return "stopped";
    case RunEnd::aborted:
      return "aborted";
    case RunEnd::refused:
      return "refused";
    case RunEnd::fault:
      return "fault";
    case RunEnd::hardware_fault:
      return "hardware_fault";
    case RunEnd::deactivated:
      return "deactivated";
  }
  return "unknown";
}

}  // namespace fivebar_control
