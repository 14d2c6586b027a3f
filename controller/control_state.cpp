// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/control_state.hpp"

namespace fivebar_control
{

const char * to_string(ControlState state)
{
  switch (state)
  {
    case ControlState::idle:
      return "idle";
    case ControlState::aligning:
      return "aligning";
    case ControlState::playing:
      return "playing";
    case ControlState::stopping:
      return "stopping";
    case ControlState::holding:
      return "holding";
    case ControlState::relaxing:
      return "relaxing";
    case ControlState::fault:
      return "fault";
    case ControlState::homing:
      return "homing";
  }
  return "unknown";
}

}  // namespace fivebar_control
