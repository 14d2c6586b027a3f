// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/support/checksum.hpp"

namespace fivebar_control::test
{

/// A sealed table whose header or rows a test has changed, with the checksum that fits again.
inline std::string resealed(std::string text)
{
  const std::size_t end = text.find("\n#", text.find("\nt,") + 1) + 1;
  const std::string key = "checksum: \"";
  const std::size_t digits = text.find(key, end) + key.size();
  Checksum checksum;
  checksum.add(std::string_view(text).substr(0, end));
  return text.replace(digits, checksum.hex().size(), checksum.hex());
}

}  // namespace fivebar_control::test
