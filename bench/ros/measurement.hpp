// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>
#include <vector>

#include "support/thread_allocations.hpp"

namespace fivebar_control::test
{

/// Times of many calls, and what they allocated.
struct Measurement
{
  std::vector<double> nanoseconds;
  std::size_t allocations = 0;

  template <class Call>
  void take(Call && call)
  {
    const std::size_t allocations_before = thread_allocations();
    const auto begin = std::chrono::steady_clock::now();
    call();
    const auto end = std::chrono::steady_clock::now();
    allocations += thread_allocations() - allocations_before;
    nanoseconds.push_back(std::chrono::duration<double, std::nano>(end - begin).count());
  }

  double quantile(double q)
  {
    std::sort(nanoseconds.begin(), nanoseconds.end());
    return nanoseconds[static_cast<std::size_t>(q * static_cast<double>(nanoseconds.size() - 1))];
  }

  std::string row(const char * name)
  {
    const double count = static_cast<double>(nanoseconds.size());
    const double mean = std::accumulate(nanoseconds.begin(), nanoseconds.end(), 0.0) / count;
    return fmt::format(
      "{:<38} {:>9.2f} {:>9.2f} {:>9.2f} {:>12.3f}\n", name, 1e-3 * quantile(0.5), 1e-3 * mean,
      1e-3 * quantile(0.999), static_cast<double>(allocations) / count);
  }
};

inline std::string heading(const std::string & what)
{
  return fmt::format(
    "{:<38} {:>9} {:>9} {:>9} {:>12}\n", what, "median us", "mean us", "p99.9 us", "malloc/call");
}

}  // namespace fivebar_control::test
