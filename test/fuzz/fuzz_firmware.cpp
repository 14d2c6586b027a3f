// SPDX-License-Identifier: Apache-2.0
// Bytes from the line into the firmware. The first byte of the input says which bytes are sent raw;
// the rest is raw line noise, and then the same bytes again as payloads of good frames, so that the
// fuzzer also gets behind the CRC.
#include "firmware/board.h"
#include "targets.hpp"

namespace fivebar_control::fuzz
{
namespace
{

struct World
{
  std::uint32_t time_us = 0;
  std::int32_t output[2] = {0, 0};
  std::uint16_t faults = 0;
  bool sent_half_a_frame = false;
};

World & world(void * context) { return *static_cast<World *>(context); }

fivebar_hooks hooks_for(World & w)
{
  fivebar_hooks hooks{};
  hooks.context = &w;
  hooks.time_us = [](void * c) { return world(c).time_us; };
  hooks.counts = [](void * c, int motor) {
    return static_cast<std::int32_t>(world(c).time_us / 100U) * (motor == 0 ? 1 : -1);
  };
  hooks.index = [](void *, int, std::int32_t *) { return false; };
  hooks.set_output = [](void * c, std::int32_t first, std::int32_t second) {
    world(c).output[0] = first;
    world(c).output[1] = second;
  };
  hooks.faults = [](void * c) { return world(c).faults; };
  hooks.send = [](void * c, const std::uint8_t * bytes, std::size_t size) {
    if (size == 0 || size > FIVEBAR_FRAME_MAX || bytes[size - 1] != 0)
    {
      world(c).sent_half_a_frame = true;  // no exception through C
    }
  };
  hooks.kick_hardware_watchdog = [](void *) {};
  return hooks;
}

void require_safe(const fivebar_board & board, const World & w)
{
  const bool driven = w.output[0] != 0 || w.output[1] != 0;
  const bool within =
    w.output[0] <= 12000 && w.output[0] >= -12000 && w.output[1] <= 12000 && w.output[1] >= -12000;
  require(!driven || board.armed, "no volts unless armed");
  require(within, "volts within the limit");
  const bool low =
    w.output[0] <= 3000 && w.output[0] >= -3000 && w.output[1] <= 3000 && w.output[1] >= -3000;
  require(!board.homing || low, "few volts while homing");
  require(!w.sent_half_a_frame, "only whole frames leave");
}

}  // namespace

void firmware(Bytes bytes)
{
  const std::uint8_t * data = bytes.data();
  const std::size_t size = bytes.size();
  World w;
  fivebar_board board;
  const fivebar_hooks hooks = hooks_for(w);
  fivebar_board_init(&board, &hooks, 0x01020304U, 12000);
  for (std::size_t i = 0; i < size; ++i)
  {
    fivebar_board_receive(&board, data[i]);
  }
  require_safe(board, w);
  // A length byte, then a payload, again and again.
  for (std::size_t at = 0; at < size;)
  {
    const std::size_t wanted = data[at] % (FIVEBAR_PAYLOAD_MAX + 1U);
    const std::size_t length = wanted < size - at - 1 ? wanted : size - at - 1;
    std::uint8_t frame[FIVEBAR_FRAME_MAX];
    const std::size_t frame_size = fivebar_frame_encode(data + at + 1, length, frame);
    for (std::size_t i = 0; i < frame_size; ++i)
    {
      fivebar_board_receive(&board, frame[i]);
    }
    w.time_us += 1000U * (data[at] / 65U);
    fivebar_board_tick(&board);
    require_safe(board, w);
    at += 1 + length;
  }
  w.time_us += FIVEBAR_WATCHDOG_US;
  fivebar_board_tick(&board);
  require(w.output[0] == 0 && w.output[1] == 0, "silence ends in zero volts from any state");
}

}  // namespace fivebar_control::fuzz
