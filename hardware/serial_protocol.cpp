// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/hardware/serial_protocol.hpp"

#include <algorithm>
#include <cmath>

#include "serial_wire.hpp"

namespace fivebar_control::serial
{
namespace
{

constexpr std::array<std::uint32_t, 256> make_crc_table()
{
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i)
  {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit)
    {
      value = (value & 1U) != 0U ? (value >> 1) ^ 0xEDB88320U : value >> 1;
    }
    table[i] = value;
  }
  return table;
}

constexpr auto crc_table = make_crc_table();

}  // namespace

std::uint32_t crc32(std::span<const std::uint8_t> data)
{
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const std::uint8_t byte : data)
  {
    crc = (crc >> 8) ^ crc_table[(crc ^ byte) & 0xFFU];
  }
  return ~crc;
}

Frame encode(std::span<const std::uint8_t> payload)
{
  Frame frame;
  if (payload.empty() || payload.size() > largest_payload)
  {
    return frame;
  }
  std::array<std::uint8_t, largest_payload + 4> plain{};
  std::copy(payload.begin(), payload.end(), plain.begin());
  const std::uint32_t crc = crc32(payload);
  for (std::size_t i = 0; i < 4; ++i)
  {
    plain[payload.size() + i] = static_cast<std::uint8_t>(crc >> (8 * i));
  }
  // Each zero becomes the distance to the next one; the first byte is the distance to the first.
  const std::size_t size = payload.size() + 4;
  std::size_t next_zero = size;
  for (std::size_t i = size; i-- > 0;)
  {
    const bool zero = plain[i] == 0;
    frame.bytes[i + 1] = zero ? static_cast<std::uint8_t>(next_zero - i) : plain[i];
    next_zero = zero ? i : next_zero;
  }
  frame.bytes[0] = static_cast<std::uint8_t>(next_zero + 1);
  frame.bytes[size + 1] = 0;
  frame.size = size + 2;
  return frame;
}

Frame hello(std::uint16_t sequence, std::uint32_t nonce)
{
  return Writer(MessageType::hello, sequence).put(nonce).put(protocol_major).frame();
}

Frame arm(std::uint16_t sequence, std::uint32_t session)
{
  return Writer(MessageType::arm, sequence).put(session).frame();
}

Frame arm_for_homing(std::uint16_t sequence, std::uint32_t session)
{
  return Writer(MessageType::arm, sequence).put(session).put(homing_flag).frame();
}

Frame disarm(std::uint16_t sequence) { return Writer(MessageType::disarm, sequence).frame(); }

Frame request(std::uint16_t sequence) { return Writer(MessageType::request, sequence).frame(); }

std::array<std::int16_t, 2> millivolts(const Eigen::Vector2d & volts)
{
  const auto of = [](double value) {
    return static_cast<std::int16_t>(std::clamp(std::round(value * 1e3), -32767.0, 32767.0));
  };
  return {of(volts[0]), of(volts[1])};
}

Frame command(std::uint16_t sequence, const Eigen::Vector2d & volts)
{
  const std::array<std::int16_t, 2> values = millivolts(volts);
  return Writer(MessageType::command, sequence)
    .put(static_cast<std::uint16_t>(values[0]))
    .put(static_cast<std::uint16_t>(values[1]))
    .frame();
}

std::optional<Info> decode_info(std::span<const std::uint8_t> payload)
{
  if (!is(payload, MessageType::info, 19))
  {
    return std::nullopt;
  }
  Info info;
  Reader reader(payload);
  reader.get(info.sequence);
  reader.get(info.nonce);
  reader.get(info.major);
  reader.get(info.minor);
  reader.get(info.session);
  reader.get(info.watchdog_ms);
  reader.get(info.full_scale_millivolts);
  return info;
}

std::optional<State> decode_state(std::span<const std::uint8_t> payload)
{
  if (!is(payload, MessageType::state, 35))
  {
    return std::nullopt;
  }
  State state;
  Reader reader(payload);
  reader.get(state.sequence);
  reader.get(state.time_us);
  reader.get(state.status);
  for (auto * values : {&state.counts, &state.index})
  {
    for (std::int32_t & value : *values)
    {
      reader.get_signed<std::int32_t, std::uint32_t>(value);
    }
  }
  for (std::int16_t & value : state.output_millivolts)
  {
    reader.get_signed<std::int16_t, std::uint16_t>(value);
  }
  reader.get(state.command_sequence);
  reader.get(state.bad_frames);
  reader.get(state.lost_frames);
  return state;
}

std::optional<std::span<const std::uint8_t>> FrameReader::take(std::uint8_t byte)
{
  if (byte != 0)
  {
    if (used_ < bytes_.size())
    {
      bytes_[used_] = byte;
    }
    used_ = std::min(used_ + 1, bytes_.size() + 1);
    return std::nullopt;
  }
  const std::size_t size = used_;
  used_ = 0;
  if (size == 0)
  {
    return std::nullopt;
  }
  ++bad_frames_;  // until the opposite is shown
  if (size > bytes_.size())
  {
    return std::nullopt;
  }
  // Walk along the chain of zeros; it must end exactly behind the last byte.
  std::size_t mark = 0;
  while (mark < size)
  {
    const std::size_t next = mark + bytes_[mark];
    bytes_[mark] = 0;
    mark = next;
  }
  if (mark != size || size < 6 || size - 5 > largest_payload)
  {
    return std::nullopt;
  }
  const std::span<const std::uint8_t> payload(bytes_.data() + 1, size - 5);
  std::uint32_t crc = 0;
  for (std::size_t i = 0; i < 4; ++i)
  {
    crc |= static_cast<std::uint32_t>(bytes_[size - 4 + i]) << (8 * i);
  }
  if (crc != crc32(payload))
  {
    return std::nullopt;
  }
  --bad_frames_;
  return payload;
}

}  // namespace fivebar_control::serial
