// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/support/suggestion.hpp"

#include <algorithm>

namespace fivebar_control
{
namespace
{

/// Levenshtein distance.
std::size_t edit_distance(const std::string & a, const std::string & b)
{
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
  {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i)
  {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j)
    {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(const std::string & name, const std::vector<std::string> & known)
{
  const auto nearest = std::min_element(
    known.begin(), known.end(), [&name](const std::string & a, const std::string & b) {
      return edit_distance(name, a) < edit_distance(name, b);
    });
  const bool near = nearest != known.end() &&
                    edit_distance(name, *nearest) <= std::max<std::size_t>(2, name.size() / 3);
  return near ? *nearest : std::string();
}

}  // namespace fivebar_control
