// SPDX-License-Identifier: Apache-2.0
// A host that plays hears anything: payloads of the board's types with any content.
#include <vector>

#include "fivebar_control/hardware/program_stream.hpp"
#include "targets.hpp"

namespace fivebar_control::fuzz
{
namespace
{

class Listener : public FrameSender
{
public:
  std::uint16_t next_sequence() noexcept override { return ++sequence_; }
  bool send(const serial::Frame & frame) noexcept override
  {
    whole_ = whole_ && frame.size > 0;
    ++frames_;
    return frames_ % 7 != 0;  // a line that is full now and then
  }
  bool whole() const { return whole_; }

private:
  std::uint16_t sequence_ = 0;
  std::int64_t frames_ = 0;
  bool whole_ = true;
};

/// Makes answers likely: sequence number, and the CRC that the host waits for.
std::vector<std::uint8_t> likely(
  std::vector<std::uint8_t> payload, std::uint16_t sequence, std::uint32_t crc)
{
  if (
    payload.size() == 46 && payload[0] == static_cast<std::uint8_t>(serial::PlayMessage::progress))
  {
    payload[1] = static_cast<std::uint8_t>(sequence & 0xFFU);
    payload[2] = static_cast<std::uint8_t>(sequence >> 8);
    if ((payload[45] & 1U) != 0)
    {
      for (std::size_t i = 0; i < 4; ++i)
      {
        payload[30 + i] = static_cast<std::uint8_t>(crc >> (8 * i));
      }
    }
  }
  return payload;
}

}  // namespace

void program_stream(Bytes bytes)
{
  BoardProgram program;
  program.nodes.resize(300);
  program.path_nodes = 280;
  program.length_ns = 1'000'000'000;
  for (serial::Node & node : program.nodes)
  {
    node.dt_ns = 4'000'000;
  }
  const std::uint32_t crc = serial::crc_of(program.settings);
  Listener line;
  ProgramStream stream;
  stream.begin(program, {0, 64, 1000, 42, 64}, 7, {});
  std::int64_t now_ns = 0;
  std::uint32_t given = 0;
  for (std::size_t at = 0; at < bytes.size();)
  {
    const std::size_t length = std::min<std::size_t>(1 + bytes[at] % 64U, bytes.size() - at - 1);
    now_ns += bytes[at] * 200'000;
    stream.step(now_ns, line);
    const std::uint16_t asked = static_cast<std::uint16_t>(line.next_sequence() - 1);
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    const auto payload = likely({from, from + static_cast<std::ptrdiff_t>(length)}, asked, crc);
    if (!payload.empty())
    {
      if (const auto telemetry = serial::decode_telemetry(payload))
      {
        require(telemetry->count <= serial::cycles_per_frame, "a few cycles at a time");
        stream.hear(*telemetry);
      }
      if (const auto progress = serial::decode_progress(payload))
      {
        stream.hear(*progress, now_ns);
      }
      serial::decode_abilities(payload);
    }
    BoardCycle cycle;
    for (int most = 0; most < 100 && stream.next(cycle); ++most)
    {
      require(cycle.number == given, "cycles come in their order, lost or not");
      ++given;
    }
    at += 1 + length;
  }
  require(line.whole(), "only whole frames are sent");
}

}  // namespace fivebar_control::fuzz
