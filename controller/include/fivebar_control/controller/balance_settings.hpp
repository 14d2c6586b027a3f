// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/controller/balancer.hpp"
#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control
{

/// The mapping `control` of a balance file; the guard's windows are a controller file's affair.
/// Throws InputError with file, line, column and key.
BalanceSettings read_balance_settings(const YamlMap & control);

/// Throws InputError unless `map`'s plan can be played: the limit of the tilt is beyond its start.
void require_tilt_limit(const YamlMap & map, const BalanceSettings & settings, double largest_tilt);

}  // namespace fivebar_control
