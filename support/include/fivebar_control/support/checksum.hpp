// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fivebar_control
{

/// 64-bit FNV-1a hash, fed piece by piece. Detects every single changed byte; not cryptographic.
class Checksum
{
public:
  void add(std::string_view bytes)
  {
    for (const char byte : bytes)
    {
      state_ = (state_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
    }
  }

  /// 16 lower-case hexadecimal digits.
  std::string hex() const
  {
    std::string digits(16, '0');
    std::uint64_t rest = state_;
    for (std::size_t i = 16; i-- > 0; rest >>= 4U)
    {
      digits[i] = "0123456789abcdef"[rest & 0xfU];
    }
    return digits;
  }

private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace fivebar_control
