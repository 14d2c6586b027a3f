// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "pack.hpp"

namespace fivebar_control
{

/// Eight numbers as two vectors of four, for one instruction set.
template <class Arch>
struct alignas(32) SweepRow
{
  using V = typename Pack<Arch>::Lanes;

  V low{};
  V high{};
  double operator[](std::size_t i) const { return i < 4 ? low[i] : high[i - 4]; }
  void add(std::size_t i, double value)
  {
    if (i < 4)
    {
      low[i] += value;
    }
    else
    {
      high[i - 4] += value;
    }
  }
  void add_scaled(double factor, const SweepRow & other)
  {
    low += factor * other.low;
    high += factor * other.high;
  }
};

}  // namespace fivebar_control
