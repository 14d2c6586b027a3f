// Bytes from the line into the host's reader, raw and as payloads of good frames.
#include <cstdlib>

#include "fivebar_control/hardware/serial_protocol.hpp"

namespace serial = fivebar_control::serial;

namespace
{

void decode(std::span<const std::uint8_t> payload)
{
  if (payload.empty() || payload.size() > serial::largest_payload)
  {
    std::abort();
  }
  const auto info = serial::decode_info(payload);
  const auto state = serial::decode_state(payload);
  if (info && state)
  {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  serial::FrameReader reader;
  for (std::size_t i = 0; i < size; ++i)
  {
    if (const auto payload = reader.take(data[i]))
    {
      decode(*payload);
    }
  }
  reader.reset();
  const serial::Frame frame = serial::encode({data, size});
  bool found = frame.size == 0;
  for (const std::uint8_t byte : frame.view())
  {
    if (const auto payload = reader.take(byte))
    {
      decode(*payload);
      found = payload->size() == size;
    }
  }
  if (!found)
  {
    std::abort();
  }
  return 0;
}
