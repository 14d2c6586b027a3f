/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in payloads: little-endian, two's complement, single precision of IEEE 754. */
#ifndef FIVEBAR_FIRMWARE_WIRE_H
#define FIVEBAR_FIRMWARE_WIRE_H

#include <stdint.h>
#include <string.h>

static inline uint16_t fivebar_read_u16(const uint8_t * bytes)
{
  return (uint16_t)(bytes[0] | (uint16_t)bytes[1] << 8);
}

static inline uint32_t fivebar_read_u32(const uint8_t * bytes)
{
  return (uint32_t)fivebar_read_u16(bytes) | (uint32_t)fivebar_read_u16(bytes + 2) << 16;
}

/* Two's complement without relying on what the compiler does with out-of-range casts. */
static inline int32_t fivebar_signed_16(uint16_t bits)
{
  return bits >= 0x8000u ? (int32_t)bits - 0x10000 : (int32_t)bits;
}

static inline int32_t fivebar_signed_32(uint32_t bits)
{
  return bits >= 0x80000000u ? -(int32_t)(0xffffffffu - bits) - 1 : (int32_t)bits;
}

static inline int32_t fivebar_read_i16(const uint8_t * bytes)
{
  return fivebar_signed_16(fivebar_read_u16(bytes));
}

static inline int32_t fivebar_read_i32(const uint8_t * bytes)
{
  return fivebar_signed_32(fivebar_read_u32(bytes));
}

static inline uint8_t * fivebar_put_u8(uint8_t * to, uint8_t value)
{
  *to = value;
  return to + 1;
}

static inline uint8_t * fivebar_put_u16(uint8_t * to, uint16_t value)
{
  return fivebar_put_u8(fivebar_put_u8(to, (uint8_t)(value & 0xffu)), (uint8_t)(value >> 8));
}

static inline uint8_t * fivebar_put_u32(uint8_t * to, uint32_t value)
{
  return fivebar_put_u16(fivebar_put_u16(to, (uint16_t)(value & 0xffffu)), (uint16_t)(value >> 16));
}

static inline float fivebar_float_of(uint32_t bits)
{
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint32_t fivebar_bits_of(float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

#endif
