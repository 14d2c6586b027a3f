// SPDX-License-Identifier: Apache-2.0
// Bytes from the line into the host's reader, raw and as payloads of good frames.
#include "fivebar_control/hardware/serial_protocol.hpp"
#include "targets.hpp"

namespace fivebar_control::fuzz
{
namespace
{

void decode(std::span<const std::uint8_t> payload)
{
  require(!payload.empty() && payload.size() <= serial::largest_payload, "payload of a good size");
  const auto info = serial::decode_info(payload);
  const auto state = serial::decode_state(payload);
  require(!info || !state, "one meaning at most");
}

}  // namespace

void host(Bytes bytes)
{
  serial::FrameReader reader;
  for (const std::uint8_t byte : bytes)
  {
    if (const auto payload = reader.take(byte))
    {
      decode(*payload);
    }
  }
  reader.reset();
  const serial::Frame frame = serial::encode(bytes);
  bool found = frame.size == 0;
  for (const std::uint8_t byte : frame.view())
  {
    if (const auto payload = reader.take(byte))
    {
      decode(*payload);
      found = payload->size() == bytes.size();
    }
  }
  require(found, "what was encoded is found again");
}

}  // namespace fivebar_control::fuzz
