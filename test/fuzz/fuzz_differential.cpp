// Both ends must agree: on every byte stream the same frames are good and the same are bad, and
// every payload gives the same frame.
#include <cstdlib>
#include <cstring>

#include "firmware/frame.h"
#include "fivebar_control/hardware/serial_protocol.hpp"

namespace serial = fivebar_control::serial;

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
  if (
    payload.has_value() != (event == FIVEBAR_FRAME_GOOD) ||
    (host.bad_frames() > bad_before) != (event == FIVEBAR_FRAME_BAD) || !same_payload)
  {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  serial::FrameReader host;
  fivebar_frame_reader board;
  fivebar_frame_reader_init(&board);
  for (std::size_t i = 0; i < size; ++i)
  {
    feed_both(host, board, data[i]);
  }
  const serial::Frame ours = serial::encode({data, size});
  std::uint8_t theirs[FIVEBAR_FRAME_MAX];
  const std::size_t length = fivebar_frame_encode(data, size, theirs);
  if (length != ours.size || std::memcmp(theirs, ours.bytes.data(), length) != 0)
  {
    std::abort();
  }
  feed_both(host, board, 0);
  for (const std::uint8_t byte : ours.view())
  {
    feed_both(host, board, byte);
  }
  return 0;
}
