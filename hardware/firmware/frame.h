/* SPDX-License-Identifier: Apache-2.0 */
/* Frames on the serial line: COBS( payload | CRC-32 of payload, little-endian ) 0x00.
 * docs/serial_protocol.md is the specification; this is the board's side of it. */
#ifndef FIVEBAR_FIRMWARE_FRAME_H
#define FIVEBAR_FIRMWARE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FIVEBAR_PAYLOAD_MAX 64u
/* Payload, CRC, one byte of COBS overhead (below 254 bytes there is exactly one), delimiter. */
#define FIVEBAR_FRAME_MAX (FIVEBAR_PAYLOAD_MAX + 4u + 1u + 1u)

uint32_t fivebar_crc32(const uint8_t * data, size_t size);

/* Writes a whole frame; returns its length, or 0 if the payload is empty or too long. */
size_t fivebar_frame_encode(const uint8_t * payload, size_t size, uint8_t frame[FIVEBAR_FRAME_MAX]);

enum fivebar_frame_event
{
  FIVEBAR_FRAME_NONE, /* in the middle of a frame, or an empty one */
  FIVEBAR_FRAME_GOOD, /* payload[0..size) is valid until the next byte */
  FIVEBAR_FRAME_BAD   /* a delimiter came, but what was before it is no frame */
};

struct fivebar_frame_reader
{
  uint8_t bytes[FIVEBAR_FRAME_MAX];
  size_t used;
  bool overflow; /* longer than any frame: drop until the next delimiter */
  const uint8_t * payload;
  size_t size;
};

void fivebar_frame_reader_init(struct fivebar_frame_reader * reader);
enum fivebar_frame_event fivebar_frame_take(struct fivebar_frame_reader * reader, uint8_t byte);

#ifdef __cplusplus
}
#endif

#endif
