// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace fivebar_control
{

/// Rows to draw of a long record: divides the rows into `buckets` and keeps of each bucket the
/// first and the last row and those where any of the `channels` is smallest or largest. No peak of
/// any channel is lost, and the result has at most (2 + 2 channels) per bucket. Increasing order;
/// all rows if there are no more than that.
inline std::vector<std::size_t> rows_to_draw(
  const std::vector<std::span<const double>> & channels, std::size_t rows, std::size_t buckets)
{
  std::vector<std::size_t> kept;
  const std::size_t per_bucket = 2 + 2 * channels.size();
  if (rows <= per_bucket * buckets)
  {
    kept.resize(rows);
    for (std::size_t i = 0; i < rows; ++i)
    {
      kept[i] = i;
    }
    return kept;
  }
  std::vector<std::size_t> candidates;
  for (std::size_t b = 0; b < buckets; ++b)
  {
    const std::size_t begin = rows * b / buckets;
    const std::size_t end = rows * (b + 1) / buckets;
    candidates = {begin, end - 1};
    for (const std::span<const double> channel : channels)
    {
      const auto first = channel.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = channel.begin() + static_cast<std::ptrdiff_t>(end);
      const auto [low, high] = std::minmax_element(first, last);
      candidates.push_back(begin + static_cast<std::size_t>(low - first));
      candidates.push_back(begin + static_cast<std::size_t>(high - first));
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    kept.insert(kept.end(), candidates.begin(), candidates.end());
  }
  return kept;
}

}  // namespace fivebar_control
