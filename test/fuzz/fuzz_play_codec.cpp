// SPDX-License-Identifier: Apache-2.0
// Both ends of the second level must mean the same: what the host sends is what the board has, and
// what the board tells is what the host reads.
#include "playing_board.hpp"

namespace fivebar_control::fuzz
{
namespace
{

class Dice
{
public:
  explicit Dice(Bytes bytes) : bytes_(bytes) {}
  std::uint32_t next()
  {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i)
    {
      value = value << 8 | (at_ < bytes_.size() ? bytes_[at_] : 0U);
      ++at_;
    }
    return value;
  }
  bool is_over() const { return at_ >= bytes_.size(); }

private:
  Bytes bytes_;
  std::size_t at_ = 0;
};

void compare_settings(PlayingBoard & world, Dice & dice)
{
  serial::Settings words{};
  for (std::uint32_t & word : words)
  {
    word = dice.next();
  }
  world.set(words);
  for (std::size_t i = 0; i < words.size(); ++i)
  {
    require(world.board.player.settings[i] == words[i], "the same settings");
  }
  require(world.board.settings_crc == serial::crc_of(words), "the same checksum of them");
}

void compare_nodes(PlayingBoard & world, Dice & dice)
{
  std::array<serial::Node, 2> nodes{};
  for (serial::Node & node : nodes)
  {
    node.dt_ns = dice.next() | 1U;
    for (std::size_t i = 0; i < 2; ++i)
    {
      node.phi[i] = static_cast<std::int32_t>(dice.next());
      const std::uint32_t pair = dice.next();
      node.volts[i] = static_cast<std::int16_t>(pair & 0xFFFFU);
      node.hold[i] = static_cast<std::int16_t>(pair >> 16);
      node.speed[i] = static_cast<std::int16_t>(dice.next() & 0xFFFFU);
    }
  }
  const std::uint32_t first = world.board.player.ring.wanted;
  world.hear(serial::plan(++world.sequence, first, nodes));
  for (std::uint32_t k = first; k < world.board.player.ring.wanted; ++k)
  {
    const fivebar_node & theirs = *fivebar_plan_node(&world.board.player.ring, k);
    const serial::Node & ours = nodes[k - first];
    require(theirs.dt_ns == ours.dt_ns, "the same time");
    for (std::size_t i = 0; i < 2; ++i)
    {
      require(
        theirs.phi[i] == ours.phi[i] && theirs.volts[i] == ours.volts[i] &&
          theirs.hold[i] == ours.hold[i] && theirs.speed[i] == ours.speed[i],
        "the same node");
    }
  }
}

void compare_telling(PlayingBoard & world, Dice & dice)
{
  fivebar_player & player = world.board.player;
  fivebar_cycle & cycle = player.kept[0];
  cycle.counts[0] = static_cast<std::int32_t>(dice.next());
  cycle.counts[1] = static_cast<std::int32_t>(dice.next());
  const std::uint32_t outputs = dice.next();
  cycle.output[0] = static_cast<std::int16_t>(outputs & 0xFFFFU);
  cycle.output[1] = static_cast<std::int16_t>(outputs >> 16);
  cycle.state = static_cast<std::uint8_t>(dice.next() % 8U);
  cycle.flags = static_cast<std::uint8_t>((dice.next() % 17U) << 1 | (outputs & 1U));
  player.cycles = 1;
  player.value = std::bit_cast<float>(dice.next() & 0x7F7FFFFFU);
  world.told.clear();
  world.hear(serial::repeat(++world.sequence, 0));
  world.hear(serial::pull(++world.sequence));
  serial::FrameReader reader;
  int heard = 0;
  for (const std::uint8_t byte : world.told)
  {
    const auto payload = reader.take(byte);
    if (!payload)
    {
      continue;
    }
    if (const auto telemetry = serial::decode_telemetry(*payload))
    {
      const serial::Cycle & read = telemetry->cycles[0];
      require(
        telemetry->first == 0 && telemetry->count == 1 && read.counts[0] == cycle.counts[0] &&
          read.counts[1] == cycle.counts[1] && read.millivolts[0] == cycle.output[0] &&
          read.millivolts[1] == cycle.output[1] &&
          static_cast<std::uint8_t>(read.state) == cycle.state &&
          static_cast<unsigned>(read.reason) == static_cast<unsigned>(cycle.flags >> 1) &&
          read.limited == ((cycle.flags & 1U) != 0),
        "the same cycle");
      ++heard;
    }
    if (const auto progress = serial::decode_progress(*payload))
    {
      require(
        progress->sequence == world.sequence && progress->wanted == player.ring.wanted &&
          progress->room == fivebar_plan_room(&player.ring) && progress->cycles == 1 &&
          progress->settings_crc == world.board.settings_crc && progress->value == player.value &&
          progress->time_us == world.time_us,
        "the same progress");
      ++heard;
    }
  }
  require(heard == 2, "both are heard");
}

}  // namespace

void play_codec(Bytes bytes)
{
  static_assert(FIVEBAR_SETTINGS == static_cast<int>(serial::settings_words));
  static_assert(FIVEBAR_SET_HOST_SILENCE == static_cast<int>(serial::setting::host_silence));
  static_assert(
    FIVEBAR_SET_FOLLOWING_WINDOW == static_cast<int>(serial::setting::following_window));
  static_assert(FIVEBAR_SET_JOINTS == static_cast<int>(serial::setting::joints));
  static_assert(FIVEBAR_JOINT_WORDS == static_cast<int>(serial::setting::words_of_joint));
  static_assert(FIVEBAR_NOT_FINITE == static_cast<int>(serial::PlayReason::not_finite));
  static_assert(FIVEBAR_WAITING == static_cast<int>(serial::PlayState::waiting));
  Dice dice(bytes);
  PlayingBoard world;
  do
  {
    compare_settings(world, dice);
    compare_nodes(world, dice);
    compare_telling(world, dice);
  } while (!dice.is_over());
}

}  // namespace fivebar_control::fuzz
