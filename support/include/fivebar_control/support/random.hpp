// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fivebar_control
{

/// SplitMix64 (Steele, Lea, Flood 2014) with the few distributions that random tests need. Unlike
/// those of the standard library they give the same numbers with every compiler, so that a seed in
/// a report can be replayed on another machine.
class Random
{
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// The generator of one of many independent cases.
  Random(std::uint64_t seed, std::uint64_t number) : state_(mixed(seed) + number) { bits(); }

  std::uint64_t bits()
  {
    state_ += 0x9E3779B97F4A7C15U;
    return mixed(state_);
  }
  double uniform(double low, double high)
  {
    return low + (high - low) * static_cast<double>(bits() >> 11U) * 0x1p-53;
  }
  /// Both ends included.
  int integer(int low, int high)
  {
    const auto count = static_cast<std::uint64_t>(high - low) + 1U;
    return low + static_cast<int>(bits() % count);
  }
  bool chance(double probability) { return uniform(0.0, 1.0) < probability; }
  template <class T, std::size_t n>
  const T & pick(const std::array<T, n> & from)
  {
    return from[bits() % n];
  }

private:
  static std::uint64_t mixed(std::uint64_t z)
  {
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_;
};

}  // namespace fivebar_control
