// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/balance_settings.hpp"

#include <fmt/core.h>

namespace fivebar_control
{

BalanceSettings read_balance_settings(const YamlMap & control)
{
  control.allow_only(
    {"volts_weight", "reading_noise", "disturbance_rate", "disturbance_limit", "speed_noise",
     "tilt_limit", "start_tolerance", "hold_time"});
  BalanceSettings s;
  const auto read = [&](const char * key, const NumberRule & rule, double & value) {
    value = control.number_or(key, rule, value);
  };
  read("volts_weight", between(1e-9, 1.0, "m^2/V^2"), s.gains.volts_weight);
  read("reading_noise", between(1e-9, 0.1, "rad"), s.gains.reading_noise);
  read("disturbance_rate", between(0.0, 10.0, "V per cycle"), s.gains.disturbance_rate);
  read("disturbance_limit", between(0.0, 10.0, "V"), s.gains.disturbance_limit);
  read("speed_noise", between(0.0, 10.0, "rad/s per cycle"), s.gains.speed_noise);
  read("tilt_limit", between(0.01, 1.5, "rad"), s.tilt_limit);
  read("start_tolerance", between(1e-4, 0.5, "rad"), s.start_tolerance);
  read("hold_time", between(0.0, 86400.0, "s"), s.hold_time);
  return s;
}

void require_tilt_limit(const YamlMap & map, const BalanceSettings & settings, double largest_tilt)
{
  if (settings.tilt_limit <= largest_tilt)
  {
    map.fail(
      "control", fmt::format(
                   "tilt_limit is {:.3f} rad, and the plan tilts by {:.3f} rad: the guard would "
                   "stop it; expected more",
                   settings.tilt_limit, largest_tilt));
  }
}

}  // namespace fivebar_control
