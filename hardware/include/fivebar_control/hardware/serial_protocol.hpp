// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace fivebar_control::serial
{

/// The host's side of docs/serial_protocol.md. Written apart from the firmware's, so that tests can
/// compare the two. Nothing here allocates or throws.
inline constexpr std::uint8_t protocol_major = 1;
inline constexpr std::uint8_t homing_minor = 1;  ///< the first that knows arm_for_homing()
inline constexpr std::uint8_t homing_flag = 1;   ///< of ARM
inline constexpr std::size_t largest_payload = 64;
inline constexpr std::size_t largest_frame = largest_payload + 6;

enum class MessageType : std::uint8_t
{
  hello = 0x01,
  arm = 0x02,
  disarm = 0x03,
  command = 0x04,
  request = 0x05,
  info = 0x81,
  state = 0x82,
};

/// Bits of State::status.
enum Status : std::uint16_t
{
  armed = 1,
  watchdog = 2,
  over_current = 4,
  under_voltage = 8,
  encoder_error = 16,
  emergency_stop = 32,
  index_1 = 64,
  index_4 = 128,
};

/// A frame as it goes over the line.
struct Frame
{
  std::array<std::uint8_t, largest_frame> bytes{};
  std::size_t size = 0;

  std::span<const std::uint8_t> view() const { return {bytes.data(), size}; }
};

std::uint32_t crc32(std::span<const std::uint8_t> data);
/// An empty frame if the payload is empty or too long.
Frame encode(std::span<const std::uint8_t> payload);

Frame hello(std::uint16_t sequence, std::uint32_t nonce);
Frame arm(std::uint16_t sequence, std::uint32_t session);
/// For boards of minor version `homing_minor` or later: at most 3 V, and a link may push against
/// its end stop for 400 ms instead of 40.
Frame arm_for_homing(std::uint16_t sequence, std::uint32_t session);
Frame disarm(std::uint16_t sequence);
Frame request(std::uint16_t sequence);
/// Rounded, and limited to what a command can carry.
std::array<std::int16_t, 2> millivolts(const Eigen::Vector2d & volts);
/// Volts at the board's outputs.
Frame command(std::uint16_t sequence, const Eigen::Vector2d & volts);

/// Answer to hello.
struct Info
{
  std::uint16_t sequence = 0;
  std::uint32_t nonce = 0;
  std::uint8_t major = 0, minor = 0;
  std::uint32_t session = 0;  ///< differs after each reset of the board
  std::uint16_t watchdog_ms = 0;
  std::uint32_t full_scale_millivolts = 0;
};

/// Answer to arm, disarm and request.
struct State
{
  std::uint16_t sequence = 0;  ///< of what it answers
  std::uint32_t time_us = 0;   ///< device time of the sample, wraps around
  std::uint16_t status = 0;
  std::array<std::int32_t, 2> counts{}, index{};
  std::array<std::int16_t, 2> output_millivolts{};
  std::uint16_t command_sequence = 0;
  std::uint16_t bad_frames = 0, lost_frames = 0;  ///< since the handshake, wrap around
};

std::optional<Info> decode_info(std::span<const std::uint8_t> payload);
std::optional<State> decode_state(std::span<const std::uint8_t> payload);

/// Finds frames in a stream of bytes, whatever it contains.
class FrameReader
{
public:
  /// A payload when this byte completed a good frame, valid until the next call.
  std::optional<std::span<const std::uint8_t>> take(std::uint8_t byte);
  void reset() { used_ = 0; }
  std::int64_t bad_frames() const { return bad_frames_; }

private:
  std::array<std::uint8_t, largest_frame> bytes_{};
  std::size_t used_ = 0;  ///< one more than fits: too long for a frame
  std::int64_t bad_frames_ = 0;
};

}  // namespace fivebar_control::serial
