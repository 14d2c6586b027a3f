// SPDX-License-Identifier: Apache-2.0
#include "json_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace fivebar_control
{

std::string series_text(const SeriesList & series)
{
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  out.push_back('{');
  for (std::size_t s = 0; s < series.size(); ++s)
  {
    fmt::format_to(to, "{}\"{}\":[", s == 0 ? "" : ",", series[s].first);
    bool first = true;
    for (const double value : series[s].second)
    {
      if (!first)
      {
        out.push_back(',');
      }
      first = false;
      if (std::isfinite(value))
      {
        fmt::format_to(to, "{:.6g}", value);
      }
      else
      {
        fmt::format_to(to, "null");
      }
    }
    out.push_back(']');
  }
  out.push_back('}');
  return fmt::to_string(out);
}

std::string with_texts(
  const nlohmann::json & head, const std::vector<std::pair<std::string, std::string>> & texts)
{
  std::string text = text_of(head);
  text.pop_back();
  for (const auto & [name, value] : texts)
  {
    text += fmt::format("{}\"{}\":{}", text.size() > 1 ? "," : "", name, value);
  }
  return text + "}";
}

std::string text_of(const nlohmann::json & json)
{
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace fivebar_control
