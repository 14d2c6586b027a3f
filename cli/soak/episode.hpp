// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "soak.hpp"

namespace fivebar_control::soak
{

struct EpisodeResult
{
  Counters counters;
  std::optional<Violation> violation;
};

/// At least episode_seconds of runs, all drawn from seed and number.
EpisodeResult run_episode(const Pool & pool, std::uint64_t seed, std::int64_t number, bool fast);

}  // namespace fivebar_control::soak
