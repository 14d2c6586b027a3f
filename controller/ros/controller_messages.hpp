#pragma once

#include <array>
#include <fivebar_control/msg/controller_state.hpp>

#include "fivebar_control/controller/control_core.hpp"

namespace fivebar_control
{

// Numbers from one structure to another; nothing here allocates.

std::array<double, 2> pair(const Eigen::Vector2d & vector);

/// Everything but the header and the hardware's velocity.
void fill(
  fivebar_control::msg::ControllerState & message, const ControlOutput & output,
  const Finding & fault, std::int64_t late_cycles);

}  // namespace fivebar_control
