// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

namespace fivebar_control::bench
{

/// Median time of one call in seconds, for ratios: both sides of a ratio are measured in turns
/// within one run, so that a busy machine slows both.
template <class First, class Second>
std::array<double, 2> median_times(First && first, Second && second, int calls)
{
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t rounds = 101;
  std::array<std::array<double, rounds>, 2> times{};
  const auto time_of = [calls](auto && function) {
    const auto begin = Clock::now();
    for (int i = 0; i < calls; ++i)
    {
      function(i);
    }
    return std::chrono::duration<double>(Clock::now() - begin).count() / calls;
  };
  for (std::size_t round = 0; round < rounds; ++round)
  {
    times[0][round] = time_of(first);
    times[1][round] = time_of(second);
  }
  std::array<double, 2> medians{};
  for (std::size_t i = 0; i < 2; ++i)
  {
    std::nth_element(times[i].begin(), times[i].begin() + rounds / 2, times[i].end());
    medians[i] = times[i][rounds / 2];
  }
  return medians;
}

}  // namespace fivebar_control::bench
