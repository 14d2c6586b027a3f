// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/support/checksum.hpp"

namespace fivebar_control::fuzz
{

/// `text` with the digits after "checksum: " replaced by what `rows` gives, so that the fuzzer gets
/// behind the checksum.
inline std::string with_checksum_of(std::string_view rows, const std::string & text)
{
  constexpr std::string_view key = "checksum: \"";
  const std::size_t begin = text.rfind(key);
  if (begin == std::string::npos || begin + key.size() + 16 > text.size())
  {
    return text;
  }
  Checksum checksum;
  checksum.add(rows);
  return std::string(text).replace(begin + key.size(), 16, checksum.hex());
}

}  // namespace fivebar_control::fuzz
