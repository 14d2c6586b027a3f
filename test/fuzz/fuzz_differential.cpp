// SPDX-License-Identifier: Apache-2.0
// Both ends must agree: on every byte stream the same frames are good and the same are bad, and
// every payload gives the same frame.
#include <cstring>

#include "firmware/frame.h"
#include "fivebar_control/hardware/serial_protocol.hpp"
#include "targets.hpp"

namespace fivebar_control::fuzz
{
namespace
{

void feed_both(serial::FrameReader & host, fivebar_frame_reader & board, std::uint8_t byte)
{
  const std::int64_t bad_before = host.bad_frames();
  const auto payload = host.take(byte);
  const fivebar_frame_event event = fivebar_frame_take(&board, byte);
  const bool same_payload =
    !payload ||
    (payload->size() == board.size && std::memcmp(payload->data(), board.payload, board.size) == 0);
  require(payload.has_value() == (event == FIVEBAR_FRAME_GOOD), "the same frames are good");
  require((host.bad_frames() > bad_before) == (event == FIVEBAR_FRAME_BAD), "the same are bad");
  require(same_payload, "the same payload");
}

}  // namespace

void differential(Bytes bytes)
{
  serial::FrameReader host;
  fivebar_frame_reader board;
  fivebar_frame_reader_init(&board);
  for (const std::uint8_t byte : bytes)
  {
    feed_both(host, board, byte);
  }
  const serial::Frame ours = serial::encode(bytes);
  std::uint8_t theirs[FIVEBAR_FRAME_MAX];
  const std::size_t length = fivebar_frame_encode(bytes.data(), bytes.size(), theirs);
  require(
    length == ours.size && std::memcmp(theirs, ours.bytes.data(), length) == 0,
    "the same frame of every payload");
  feed_both(host, board, 0);
  for (const std::uint8_t byte : ours.view())
  {
    feed_both(host, board, byte);
  }
}

}  // namespace fivebar_control::fuzz
