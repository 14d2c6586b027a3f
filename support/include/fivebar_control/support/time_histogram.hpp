// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace fivebar_control
{

/// Distribution of times in ns. Fixed memory, one increment per value: each power of two is
/// divided into 64 bins, so that a quantile is at most 1.6 % too large. Smallest, largest and mean
/// are exact. Negative values count as zero.
class TimeHistogram
{
public:
  void add(std::int64_t value_ns)
  {
    const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(value_ns, 0));
    ++bins_[bin_of(value)];
    ++count_;
    sum_ += static_cast<double>(value);
    smallest_ = std::min(smallest_, value);
    largest_ = std::max(largest_, value);
  }

  std::int64_t count() const { return count_; }
  double mean() const { return count_ == 0 ? 0.0 : sum_ / static_cast<double>(count_); }
  std::uint64_t smallest() const { return count_ == 0 ? 0 : smallest_; }
  std::uint64_t largest() const { return largest_; }

  /// Upper end of the bin in which the share `q` of all values is reached, never above largest().
  std::uint64_t quantile(double q) const
  {
    const double wanted = q * static_cast<double>(count_);
    double seen = 0.0;
    for (std::size_t bin = 0; bin < bins_.size(); ++bin)
    {
      seen += static_cast<double>(bins_[bin]);
      if (bins_[bin] > 0 && seen >= wanted)
      {
        return std::min(upper_end(bin), largest_);
      }
    }
    return largest_;
  }

  /// Calls use(upper_end_ns, count) for each bin that is not empty, smallest first.
  template <class Use>
  void for_each_bin(Use && use) const
  {
    for (std::size_t bin = 0; bin < bins_.size(); ++bin)
    {
      if (bins_[bin] > 0)
      {
        use(upper_end(bin), bins_[bin]);
      }
    }
  }

private:
  static constexpr unsigned fine_bits = 6;
  static constexpr std::uint64_t fine = 1U << fine_bits;

  static std::size_t bin_of(std::uint64_t value)
  {
    if (value < fine)
    {
      return value;
    }
    const auto shift = static_cast<unsigned>(std::bit_width(value)) - fine_bits - 1U;
    return (shift + 1U) * fine + ((value >> shift) - fine);
  }
  static std::uint64_t upper_end(std::size_t bin)
  {
    if (bin < fine)
    {
      return bin;
    }
    const std::uint64_t shift = bin / fine - 1U;
    return ((bin % fine + fine + 1U) << shift) - 1U;
  }

  std::array<std::uint64_t, (64 - fine_bits + 1) * fine> bins_{};
  std::int64_t count_ = 0;
  double sum_ = 0.0;
  std::uint64_t smallest_ = UINT64_MAX;
  std::uint64_t largest_ = 0;
};

}  // namespace fivebar_control
