// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <fivebar_control/msg/controller_state.hpp>

#include "fivebar_control/controller/control_core.hpp"

namespace fivebar_control
{

/// A pair as messages have it.
inline std::array<double, 2> as_array(const Eigen::Vector2d & pair) { return {pair[0], pair[1]}; }

/// Everything but the header and the hardware's velocity. Does not allocate.
void fill(
  fivebar_control::msg::ControllerState & message, const ControlOutput & output,
  const Finding & fault, std::int64_t late_cycles);

}  // namespace fivebar_control
