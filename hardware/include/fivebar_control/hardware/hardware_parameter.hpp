// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <charconv>
#include <string>

#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{

/// The value of a <param> in the <hardware> tag of a URDF, which arrives as text. Throws InputError
/// unless it is a whole number from `least` to `most`, with nothing before or after it.
inline int whole_number(const std::string & name, const std::string & text, int least, int most)
{
  int value = 0;
  const char * end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < least || value > most)
  {
    throw InputError(fmt::format(
      "<param name=\"{}\">: expected a whole number from {} to {}, found '{}'", name, least, most,
      text));
  }
  return value;
}

}  // namespace fivebar_control
