// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "targets.hpp"

namespace fivebar_control::fuzz
{

/// Numbers out of bytes; zeros when these are used up.
class InputStream
{
public:
  explicit InputStream(Bytes bytes) : bytes_(bytes) {}

  bool has_more() const { return !bytes_.empty(); }

  std::uint8_t byte()
  {
    if (bytes_.empty())
    {
      return 0;
    }
    const std::uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
  }

  /// From -1 to 1.
  double share()
  {
    const int low = byte();
    const int high = static_cast<std::int8_t>(byte());
    return (high * 256 + low) / 32768.0;
  }

  /// Any number there is, and what is none.
  double anything()
  {
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i)
    {
      bits = bits << 8 | byte();
    }
    double number = 0.0;
    std::memcpy(&number, &bits, sizeof number);
    return number;
  }

private:
  Bytes bytes_;
};

}  // namespace fivebar_control::fuzz
