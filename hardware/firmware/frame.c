/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/frame.h"

/* CRC-32/ISO-HDLC (reflected 0xEDB88320) by half bytes: 64 bytes of table fit any board. */
uint32_t fivebar_crc32(const uint8_t * data, size_t size)
{
  static const uint32_t table[16] = {0x00000000u, 0x1db71064u, 0x3b6e20c8u, 0x26d930acu,
                                     0x76dc4190u, 0x6b6b51f4u, 0x4db26158u, 0x5005713cu,
                                     0xedb88320u, 0xf00f9344u, 0xd6d6a3e8u, 0xcb61b38cu,
                                     0x9b64c2b0u, 0x86d3d2d4u, 0xa00ae278u, 0xbdbdf21cu};
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < size; ++i)
  {
    crc = (crc >> 4) ^ table[(crc ^ data[i]) & 15u];
    crc = (crc >> 4) ^ table[(crc ^ (uint32_t)(data[i] >> 4)) & 15u];
  }
  return crc ^ 0xffffffffu;
}

size_t fivebar_frame_encode(const uint8_t * payload, size_t size, uint8_t frame[FIVEBAR_FRAME_MAX])
{
  if (size == 0u || size > FIVEBAR_PAYLOAD_MAX)
  {
    return 0u;
  }
  const uint32_t crc = fivebar_crc32(payload, size);
  size_t mark = 0u; /* where the distance to the next zero goes */
  size_t end = 1u;
  for (size_t i = 0; i < size + 4u; ++i)
  {
    const uint8_t byte = (uint8_t)(i < size ? payload[i] : crc >> (8u * (i - size)));
    if (byte == 0u)
    {
      frame[mark] = (uint8_t)(end - mark);
      mark = end++;
    }
    else
    {
      frame[end++] = byte;
    }
  }
  frame[mark] = (uint8_t)(end - mark);
  frame[end++] = 0u;
  return end;
}

void fivebar_frame_reader_init(struct fivebar_frame_reader * reader)
{
  reader->used = 0u;
  reader->overflow = false;
  reader->payload = reader->bytes;
  reader->size = 0u;
}

/* Undoes COBS in place: every stuffed byte moves one place down. Returns the length or 0. */
static size_t unstuff(uint8_t * bytes, size_t size)
{
  size_t from = 0u;
  size_t to = 0u;
  while (from < size)
  {
    const size_t block = bytes[from]; /* never 0: zeros are delimiters */
    if (from + block > size)
    {
      return 0u;
    }
    for (size_t i = 1u; i < block; ++i)
    {
      bytes[to++] = bytes[from + i];
    }
    from += block;
    if (from < size)
    {
      bytes[to++] = 0u;
    }
  }
  return to;
}

enum fivebar_frame_event fivebar_frame_take(struct fivebar_frame_reader * reader, uint8_t byte)
{
  if (byte != 0u)
  {
    if (reader->used < sizeof(reader->bytes))
    {
      reader->bytes[reader->used++] = byte;
    }
    else
    {
      reader->overflow = true;
    }
    return FIVEBAR_FRAME_NONE;
  }
  const size_t stuffed = reader->used;
  const bool overflow = reader->overflow;
  reader->used = 0u;
  reader->overflow = false;
  if (stuffed == 0u)
  {
    return FIVEBAR_FRAME_NONE;
  }
  const size_t size = overflow ? 0u : unstuff(reader->bytes, stuffed);
  if (size < 5u || size - 4u > FIVEBAR_PAYLOAD_MAX)
  {
    return FIVEBAR_FRAME_BAD;
  }
  const uint8_t * tail = reader->bytes + size - 4u;
  const uint32_t crc =
    (uint32_t)tail[0] | (uint32_t)tail[1] << 8 | (uint32_t)tail[2] << 16 | (uint32_t)tail[3] << 24;
  if (crc != fivebar_crc32(reader->bytes, size - 4u))
  {
    return FIVEBAR_FRAME_BAD;
  }
  reader->payload = reader->bytes;
  reader->size = size - 4u;
  return FIVEBAR_FRAME_GOOD;
}
