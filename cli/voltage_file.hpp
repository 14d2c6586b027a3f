// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/simulation/open_loop.hpp"

namespace fivebar_control::cli
{

inline constexpr std::size_t largest_voltage_file = 2'000'000'000;  // bytes

/// Voltages over time: CSV with the columns t [s], u1, u4 [V]. Throws InputError.
VoltageHistory parse_voltages(const std::string & text, const std::string & name);

}  // namespace fivebar_control::cli
