// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/support/markup.hpp"

namespace fivebar_control
{

std::string escaped(const std::string & text)
{
  std::string result;
  for (const char c : text)
  {
    switch (c)
    {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace fivebar_control
