// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "fivebar_control/support/random.hpp"

namespace fivebar_control::soak
{

/// What goes wrong in a soak, or comes from outside.
enum class Trouble
{
  read_failure,
  write_failure,
  stale_sample,  ///< the time stamp does not go on
  frozen_encoder,
  encoder_jump,
  encoder_drift,  ///< slips by a few counts per cycle
  device_fault,
  late_cycle,
  long_silence,  ///< so late that the board's watchdog trips
  interrupt,     ///< as Ctrl-C
  voltage_step,  ///< volts that the controller did not ask for
  supply_drop,   ///< the amplifier gives a fraction
};
inline constexpr std::size_t trouble_count = 12;
/// Stable, part of the JSON.
const char * to_string(Trouble trouble);

struct Incident
{
  Trouble trouble;
  std::int64_t from;    ///< cycle of the run
  std::int64_t cycles;  ///< how long
  std::size_t joint;
  double size;  ///< -1 to 1, what it means depends on the trouble

  bool is_on(std::int64_t cycle) const { return cycle >= from && cycle < from + cycles; }
};

/// One to five incidents within the first `cycles` of a run.
std::vector<Incident> random_incidents(Random & random, std::int64_t cycles);

}  // namespace fivebar_control::soak
