// SPDX-License-Identifier: Apache-2.0
// A board that plays hears anything: the input is a length byte and a payload, again and again,
// each in a good frame with the next sequence number. Then it hears nothing, and must come to zero
// volts.
#include "playing_board.hpp"

namespace fivebar_control::fuzz
{

void board_play(Bytes bytes)
{
  PlayingBoard world;
  world.set(PlayingBoard::settings());
  std::array<serial::Node, 2> nodes{};
  for (std::uint32_t first = 0; first < 60; first += 2)
  {
    for (serial::Node & node : nodes)
    {
      node = {5'000'000, {static_cast<std::int32_t>(first) * 100000, 0}, {500, -500}, {}, {10, 0}};
    }
    world.hear(serial::plan(++world.sequence, first, nodes));
  }
  world.start(200);
  for (std::size_t at = 0; at < bytes.size();)
  {
    const std::size_t wanted = 1 + bytes[at] % 61U;
    const std::size_t length = std::min(wanted, bytes.size() - at - 1);
    if (length > 0)
    {
      std::vector<std::uint8_t> payload = {
        bytes[at + 1], static_cast<std::uint8_t>(++world.sequence & 0xFFU),
        static_cast<std::uint8_t>(world.sequence >> 8)};
      payload.insert(
        payload.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at) + 2,
        bytes.begin() + static_cast<std::ptrdiff_t>(at + 1 + length));
      world.hear(serial::encode(payload));
    }
    world.counts[at % 2] += static_cast<std::int8_t>(bytes[at]);
    for (int tick = 0; tick < bytes[at] / 64; ++tick)
    {
      world.tick();
    }
    world.require_safe();
    at += 1 + length;
  }
  // Longest silence, then stop, settle, hold, relax and their times, whatever they were set to.
  std::int64_t longest = 1200;
  for (std::size_t word = FIVEBAR_SET_FOLLOWING_WINDOW; word < FIVEBAR_SETTINGS; ++word)
  {
    longest += world.board.player.settings[word] / 1000 + 70;
  }
  longest += 60000;  // an alignment that never settles
  for (std::int64_t ms = 0; ms < longest && world.board.armed; ++ms)
  {
    world.tick();
  }
  require(!world.board.armed, "silence ends in a board that is off");
  require(world.output[0] == 0 && world.output[1] == 0, "silence ends in zero volts");
}

}  // namespace fivebar_control::fuzz
