#pragma once

#include <fivebar_control/msg/controller_state.hpp>

#include "fivebar_control/controller/control_core.hpp"

namespace fivebar_control
{

/// Everything but the header and the hardware's velocity. Does not allocate.
void fill(
  fivebar_control::msg::ControllerState & message, const ControlOutput & output,
  const Finding & fault, std::int64_t late_cycles);

}  // namespace fivebar_control
