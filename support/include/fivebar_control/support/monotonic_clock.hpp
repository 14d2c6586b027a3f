// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstdint>
#include <ctime>

namespace fivebar_control
{

/// CLOCK_MONOTONIC in ns.
inline std::int64_t monotonic_now_ns() noexcept
{
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

inline void sleep_until_ns(std::int64_t time_ns) noexcept
{
  const timespec when{
    static_cast<time_t>(time_ns / 1'000'000'000), static_cast<long>(time_ns % 1'000'000'000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, nullptr) == EINTR)
  {
  }
}

}  // namespace fivebar_control
