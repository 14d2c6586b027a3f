// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/hardware/serial_protocol.hpp"

namespace fivebar_control::serial
{

/// The host's side of the second level of docs/serial_protocol.md, for boards that play a plan by
/// themselves. Nothing here allocates or throws.
inline constexpr std::uint8_t play_minor = 2;  ///< the first that knows it
inline constexpr std::size_t settings_words = 42;
inline constexpr std::size_t settings_per_frame = 15;
inline constexpr std::size_t nodes_per_frame = 2;
inline constexpr std::size_t cycles_per_frame = 4;
inline constexpr double angle_unit = 1.0 / (1 << 26);  ///< rad, of a node's angles

enum class PlayMessage : std::uint8_t
{
  ask = 0x10,
  set = 0x11,
  plan = 0x12,
  start = 0x13,
  stop = 0x14,
  pull = 0x15,
  repeat = 0x16,
  abilities = 0x90,
  progress = 0x91,
  telemetry = 0x92,
};

enum class PlayState : std::uint8_t
{
  idle,
  aligning,
  playing,
  stopping,
  holding,
  relaxing,
  fault,
  waiting,  ///< armed; the time of the start has not come
};

enum class PlayReason : std::uint8_t
{
  none,
  // Not started:
  bad_session,
  bad_settings,
  no_plan,
  cause_present,
  not_at_start,
  // Stopped smoothly:
  asked_to_stop,
  stream_dry,
  host_silent,
  // Zero volts at once:
  disarmed,
  device_fault,
  following,
  range,
  speed,
  jump,
  align_timeout,
  not_finite,
};

const char * to_string(PlayReason reason);
constexpr bool is_on(PlayState state)
{
  return state != PlayState::idle && state != PlayState::fault;
}

/// Settings by their words; 32-bit floats unless an integer is named.
namespace setting
{
inline constexpr std::size_t flags = 0;  ///< integer: 1 feedforward, 2 tracking observer
inline constexpr std::size_t kp = 1, kd = 2, ki = 3, integral_limit = 4;
inline constexpr std::size_t position_gain = 5, speed_gain = 6;
inline constexpr std::size_t voltage_limit = 7, voltage_change = 8;
inline constexpr std::size_t volts_unit = 9, speed_unit = 10;
inline constexpr std::size_t start_tolerance = 11, align_speed = 12;
inline constexpr std::size_t following_band = 13, joint_speed = 14, jump = 15;
inline constexpr std::size_t joints = 16, words_of_joint = 9;
// Of a joint: counts (integer) at an angle, rad per count, range, volts at the output.
inline constexpr std::size_t origin = 0, angle = 1, per_count = 2, lowest = 3, highest = 4;
inline constexpr std::size_t output_gain = 5, output_limit = 6;
inline constexpr std::size_t dead_band = 7, dead_band_slope = 8;
// Integers, microseconds:
inline constexpr std::size_t following_window = 34, stop_time = 35, settle_time = 36;
inline constexpr std::size_t hold_time = 37, relax_time = 38, align_settle = 39;
inline constexpr std::size_t align_timeout = 40, host_silence = 41;
}  // namespace setting

using Settings = std::array<std::uint32_t, settings_words>;
std::uint32_t crc_of(const Settings & settings);

struct Node
{
  std::uint32_t dt_ns = 0;            ///< after the node before
  std::array<std::int32_t, 2> phi{};  ///< angle_unit
  std::array<std::int16_t, 2> volts{}, hold{}, speed{};
};

struct Start
{
  std::uint32_t session = 0;
  std::uint32_t time_us = 0;  ///< of the board
  std::uint32_t settings_crc = 0;
  std::uint32_t path_nodes = 0, nodes = 0;
  std::uint64_t length_ns = 0;
  bool align = false;
};

Frame ask(std::uint16_t sequence);
/// At most settings_per_frame words.
Frame set(std::uint16_t sequence, std::uint8_t first, std::span<const std::uint32_t> words);
/// One or two nodes.
Frame plan(std::uint16_t sequence, std::uint32_t first, std::span<const Node> nodes);
Frame start(std::uint16_t sequence, const Start & start);
Frame stop(std::uint16_t sequence);
Frame pull(std::uint16_t sequence);
Frame repeat(std::uint16_t sequence, std::uint32_t first);

/// What the board can do.
struct Abilities
{
  std::uint16_t sequence = 0;
  std::uint16_t nodes = 0;  ///< of its buffer
  std::uint32_t period_us = 0;
  std::uint8_t settings = 0;  ///< words
  std::uint16_t kept = 0;     ///< cycles that can be asked for again
};

/// Where it is.
struct Progress
{
  std::uint16_t sequence = 0;  ///< of what it answers
  std::uint32_t time_us = 0;
  PlayState state = PlayState::idle;
  PlayReason reason = PlayReason::none;
  int joint = -1;
  std::uint16_t status = 0;
  std::uint32_t wanted = 0;  ///< the node that it wants next
  std::uint16_t room = 0;    ///< for so many nodes
  std::uint32_t cycles = 0;  ///< since the start
  std::uint32_t first_us = 0;
  std::uint32_t path_us = 0;
  std::uint32_t settings_crc = 0;
  float value = 0.0F, limit = 0.0F;
  std::uint16_t bad_frames = 0, lost_frames = 0;
};

/// One period of the board.
struct Cycle
{
  std::array<std::int32_t, 2> counts{};
  std::array<std::int16_t, 2> millivolts{};  ///< at its outputs, from this sample on
  PlayState state = PlayState::idle;
  PlayReason reason = PlayReason::none;
  bool limited = false;
};

struct Telemetry
{
  std::uint32_t first = 0;
  std::size_t count = 0;
  std::array<Cycle, cycles_per_frame> cycles{};
};

std::optional<Abilities> decode_abilities(std::span<const std::uint8_t> payload);
std::optional<Progress> decode_progress(std::span<const std::uint8_t> payload);
std::optional<Telemetry> decode_telemetry(std::span<const std::uint8_t> payload);

}  // namespace fivebar_control::serial
