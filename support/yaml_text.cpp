// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/support/yaml_text.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace fivebar_control
{

std::string yaml_quoted(std::string_view text)
{
  std::string result = "\"";
  for (const char c : text)
  {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f)
    {
      result += fmt::format("\\x{:02x}", code);
      continue;
    }
    if (c == '"' || c == '\\')
    {
      result += '\\';
    }
    result += c;
  }
  return result + "\"";
}

std::string prefixed_lines(std::string_view text, std::string_view prefix)
{
  std::string result;
  while (!text.empty())
  {
    const std::size_t end = std::min(text.find('\n'), text.size());
    result.append(prefix).append(text.substr(0, end)).append("\n");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace fivebar_control
