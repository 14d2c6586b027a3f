// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace fivebar_control
{

/// The device's clock as the host's sees it: offset and drift. Of each second's exchanges the one
/// with the shortest round trip counts; the drift is the slope from the first second to the last.
class ClockModel
{
public:
  /// The device's clock showed `device_us` some time between asking and having the answer.
  void add(std::uint32_t device_us, std::int64_t asked_ns, std::int64_t answered_ns)
  {
    const auto passed = static_cast<std::int32_t>(device_us - last_us_);
    device_ns_ = has_any_ ? device_ns_ + 1000 * static_cast<std::int64_t>(passed) : 0;
    last_us_ = device_us;
    const Exchange now{device_ns_, asked_ns / 2 + answered_ns / 2, answered_ns - asked_ns};
    if (!has_any_)
    {
      first_ = best_ = now;
      has_any_ = true;
      return;
    }
    if (now.host_ns - best_.host_ns > window_ns)
    {
      settled_ = true;  // the first window is over
    }
    if (now.host_ns - best_.host_ns > window_ns || now.round_trip_ns <= best_.round_trip_ns)
    {
      best_ = now;
    }
    if (!settled_ && now.round_trip_ns <= first_.round_trip_ns)
    {
      first_ = now;
    }
  }
  void reset() { *this = ClockModel(); }
  bool has_any() const { return has_any_; }

  /// Relative: 1e-6 if the device gains a microsecond per second; 0 before two seconds are over.
  double drift() const
  {
    const std::int64_t host = best_.host_ns - first_.host_ns;
    return settled_ && host > 2 * window_ns
             ? static_cast<double>(best_.device_ns - first_.device_ns - host) /
                 static_cast<double>(host)
             : 0.0;
  }
  /// What the device's clock shows at a time of ours.
  std::uint32_t device_time_us(std::int64_t host_ns) const
  {
    const std::int64_t since = host_ns - best_.host_ns;
    const auto gained = static_cast<std::int64_t>(drift() * static_cast<double>(since));
    const std::int64_t ahead_ns = best_.device_ns + since + gained - device_ns_;
    return last_us_ + static_cast<std::uint32_t>(ahead_ns / 1000);
  }

private:
  static constexpr std::int64_t window_ns = 1'000'000'000;
  struct Exchange
  {
    std::int64_t device_ns = 0, host_ns = 0, round_trip_ns = 0;
  };
  bool has_any_ = false, settled_ = false;
  std::uint32_t last_us_ = 0;
  std::int64_t device_ns_ = 0;  ///< unwrapped, from the first exchange on
  Exchange first_, best_;
};

}  // namespace fivebar_control
