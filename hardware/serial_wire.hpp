// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "fivebar_control/hardware/serial_protocol.hpp"

namespace fivebar_control::serial
{

/// Puts a message together, little-endian.
class Writer
{
public:
  template <class Type>
  Writer(Type type, std::uint16_t sequence)
  {
    put(static_cast<std::uint8_t>(type));
    put(sequence);
  }
  template <class Unsigned>
  Writer & put(Unsigned value)
  {
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i)
    {
      bytes_[size_++] = static_cast<std::uint8_t>(value >> (8 * i));
    }
    return *this;
  }
  Writer & put_signed(std::int32_t value) { return put(static_cast<std::uint32_t>(value)); }
  Writer & put_signed(std::int16_t value) { return put(static_cast<std::uint16_t>(value)); }
  Frame frame() const { return encode({bytes_.data(), size_}); }

private:
  std::array<std::uint8_t, largest_payload> bytes_{};
  std::size_t size_ = 0;
};

/// Takes a message apart; the caller has checked its length.
class Reader
{
public:
  explicit Reader(std::span<const std::uint8_t> payload) : bytes_(payload.subspan(1)) {}
  template <class Unsigned>
  void get(Unsigned & value)
  {
    value = 0;
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i)
    {
      value = static_cast<Unsigned>(value | static_cast<Unsigned>(bytes_[i]) << (8 * i));
    }
    bytes_ = bytes_.subspan(sizeof(Unsigned));
  }
  template <class Signed, class Unsigned>
  void get_signed(Signed & value)
  {
    Unsigned bits = 0;
    get(bits);
    value = static_cast<Signed>(bits);
  }
  void get_float(float & value)
  {
    std::uint32_t bits = 0;
    get(bits);
    value = std::bit_cast<float>(bits);
  }

private:
  std::span<const std::uint8_t> bytes_;
};

template <class Type>
bool is(std::span<const std::uint8_t> payload, Type type, std::size_t size)
{
  return payload.size() == size && payload[0] == static_cast<std::uint8_t>(type);
}

}  // namespace fivebar_control::serial
