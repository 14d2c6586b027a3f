// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstring>
#include <vector>

#include "firmware/board.h"
#include "firmware/player_link.h"
#include "fivebar_control/hardware/play_protocol.hpp"
#include "targets.hpp"

namespace fivebar_control::fuzz
{

/// The firmware with a world that does nothing, and a program that it may play.
class PlayingBoard
{
public:
  static constexpr std::int32_t full_scale = 12000;  // mV

  PlayingBoard()
  {
    fivebar_hooks hooks{};
    hooks.context = this;
    hooks.time_us = [](void * c) { return of(c).time_us; };
    hooks.counts = [](void * c, int motor) { return of(c).counts[motor]; };
    hooks.index = [](void *, int, std::int32_t *) { return false; };
    hooks.set_output = [](void * c, std::int32_t first, std::int32_t second) {
      of(c).output[0] = first;
      of(c).output[1] = second;
    };
    hooks.faults = [](void *) { return std::uint16_t{0}; };
    hooks.send = [](void * c, const std::uint8_t * bytes, std::size_t size) {
      of(c).whole = of(c).whole && size > 0 && size <= FIVEBAR_FRAME_MAX && bytes[size - 1] == 0;
      of(c).told.insert(of(c).told.end(), bytes, bytes + size);
    };
    hooks.kick_hardware_watchdog = [](void *) {};
    fivebar_board_init(&board, &hooks, 7, full_scale);
    hear(serial::hello(++sequence, 1));
  }

  void hear(const serial::Frame & frame)
  {
    for (const std::uint8_t byte : frame.view())
    {
      fivebar_board_receive(&board, byte);
    }
  }

  static serial::Settings settings()
  {
    namespace s = serial::setting;
    serial::Settings words{};
    const auto number = [&words](std::size_t word, float value) {
      words[word] = std::bit_cast<std::uint32_t>(value);
    };
    words[s::flags] = 1;
    for (const std::size_t word : {s::kp, s::voltage_limit, s::voltage_change, s::align_speed})
    {
      number(word, 10.0F);
    }
    number(s::speed_gain, 0.3F);
    number(s::following_band, 1e9F);
    number(s::joint_speed, 1e9F);
    number(s::jump, 1e9F);
    number(s::volts_unit, 1e-3F);
    number(s::speed_unit, 1e-3F);
    number(s::start_tolerance, 1e9F);
    for (std::size_t joint = 0; joint < 2; ++joint)
    {
      const std::size_t at = s::joints + joint * s::words_of_joint;
      number(at + s::per_count, 1e-3F);
      number(at + s::lowest, -1e9F);
      number(at + s::highest, 1e9F);
      number(at + s::output_gain, 1.0F);
      number(at + s::output_limit, 100.0F);
    }
    for (std::size_t word = s::following_window; word <= s::align_timeout; ++word)
    {
      words[word] = 20000;
    }
    words[s::host_silence] = 100000;
    return words;
  }

  void set(const serial::Settings & words)
  {
    const std::span<const std::uint32_t> all(words);
    for (std::size_t first = 0; first < all.size(); first += serial::settings_per_frame)
    {
      const std::size_t count = std::min(serial::settings_per_frame, all.size() - first);
      hear(serial::set(++sequence, static_cast<std::uint8_t>(first), all.subspan(first, count)));
    }
  }

  void start(std::uint32_t nodes)
  {
    serial::Start start;
    start.session = 7;
    start.time_us = time_us;
    start.settings_crc = serial::crc_of(settings());
    start.path_nodes = nodes;
    start.nodes = nodes;
    start.length_ns = std::uint64_t{nodes} * 5'000'000;
    hear(serial::start(++sequence, start));
  }

  void tick()
  {
    time_us += 1000;
    fivebar_board_tick(&board);
    require_safe();
  }

  void require_safe() const
  {
    const bool driven = output[0] != 0 || output[1] != 0;
    require(!driven || board.armed, "no volts unless armed");
    for (const std::int32_t volts : output)
    {
      require(volts <= full_scale && volts >= -full_scale, "volts within the limit");
    }
    require(whole, "only whole frames leave");
    const fivebar_plan_ring & ring = board.player.ring;
    require(ring.wanted - ring.first <= FIVEBAR_PLAN_NODES, "no more nodes than fit");
  }

  fivebar_board board;
  std::uint32_t time_us = 1000;
  std::int32_t counts[2] = {0, 0};
  std::int32_t output[2] = {0, 0};
  bool whole = true;
  std::vector<std::uint8_t> told;
  std::uint16_t sequence = 0;

private:
  static PlayingBoard & of(void * context) { return *static_cast<PlayingBoard *>(context); }
};

}  // namespace fivebar_control::fuzz
