// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/controller/settings.hpp"

namespace fivebar_control
{

/// s in which the gains of a moving robot go over to new ones.
inline constexpr double gain_change_time = 0.25;
/// By so much, at most, a gain of a moving robot may change at once, either way.
inline constexpr double largest_gain_factor = 2.0;

/// Whether a controller may go from these settings to others now; empty: yes, otherwise why not.
/// Not for the real-time path.
std::string why_not_change(
  const ControllerSettings & now, const ControllerSettings & wanted, bool is_driving);

}  // namespace fivebar_control
