// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace fivebar_control
{

/// Puts device times on the host's clock. A sample was taken between asking for it and having it;
/// the exchange with the shortest round trip says best where in between. Older exchanges lose
/// weight, so that the offset follows crystals that drift by up to `drift`.
class ClockOffset
{
public:
  /// Host time of the sample, never outside [asked_ns, answered_ns].
  std::int64_t host_time(std::uint32_t device_us, std::int64_t asked_ns, std::int64_t answered_ns)
  {
    unwrap(device_us);
    const std::int64_t round_trip = answered_ns - asked_ns;
    const auto aged =
      best_ + static_cast<std::int64_t>(drift * static_cast<double>(answered_ns - best_at_ns_));
    if (!started_ || round_trip <= aged)
    {
      best_ = round_trip;
      best_at_ns_ = answered_ns;
      offset_ns_ = asked_ns + round_trip / 2 - device_ns_;
      started_ = true;
    }
    return std::clamp(device_ns_ + offset_ns_, asked_ns, answered_ns);
  }
  void reset() { *this = ClockOffset(); }

private:
  static constexpr double drift = 2e-4;  ///< far beyond any crystal

  void unwrap(std::uint32_t device_us)
  {
    const std::uint32_t passed = device_us - last_us_;
    // An answer that was overtaken lies a little in the past.
    device_ns_ += 1000 * static_cast<std::int64_t>(static_cast<std::int32_t>(passed));
    last_us_ = device_us;
  }

  bool started_ = false;
  std::uint32_t last_us_ = 0;
  std::int64_t device_ns_ = 0;
  std::int64_t best_ = 0, best_at_ns_ = 0;
  std::int64_t offset_ns_ = 0;
};

}  // namespace fivebar_control
