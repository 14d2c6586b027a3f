/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/plan_ring.h"

#include "firmware/wire.h"

#if (FIVEBAR_PLAN_NODES & (FIVEBAR_PLAN_NODES - 1u)) != 0u
#error "FIVEBAR_PLAN_NODES must be a power of two"
#endif

static const uint32_t mask = FIVEBAR_PLAN_NODES - 1u;

void fivebar_plan_clear(struct fivebar_plan_ring * ring)
{
  ring->first = 0u;
  ring->wanted = 0u;
  ring->received_ns = 0u;
  ring->interval = 0u;
  ring->begin_ns = 0u;
}

uint32_t fivebar_plan_room(const struct fivebar_plan_ring * ring)
{
  return FIVEBAR_PLAN_NODES - (ring->wanted - ring->first);
}

const struct fivebar_node * fivebar_plan_node(const struct fivebar_plan_ring * ring, uint32_t i)
{
  return &ring->nodes[i & mask];
}

bool fivebar_plan_take(struct fivebar_plan_ring * ring, const uint8_t * bytes)
{
  const uint32_t dt_ns = fivebar_read_u32(bytes);
  if (fivebar_plan_room(ring) == 0u || (dt_ns == 0u && ring->wanted != 0u))
  {
    return false;
  }
  struct fivebar_node * node = &ring->nodes[ring->wanted & mask];
  node->dt_ns = dt_ns;
  for (unsigned i = 0u; i < 2u; ++i)
  {
    node->phi[i] = fivebar_read_i32(bytes + 4u + 4u * i);
    node->volts[i] = (int16_t)fivebar_read_i16(bytes + 12u + 2u * i);
    node->hold[i] = (int16_t)fivebar_read_i16(bytes + 16u + 2u * i);
    node->speed[i] = (int16_t)fivebar_read_i16(bytes + 20u + 2u * i);
  }
  ring->received_ns += ring->wanted != 0u ? dt_ns : 0u;
  ++ring->wanted;
  return true;
}

void fivebar_plan_seek(struct fivebar_plan_ring * ring, uint32_t i, uint64_t begin_ns)
{
  ring->interval = i;
  ring->begin_ns = begin_ns;
  ring->first = i;
}

void fivebar_plan_at(
  struct fivebar_plan_ring * ring, uint64_t time_ns, uint32_t end, float volts_unit,
  float speed_unit, struct fivebar_reference * reference)
{
  const uint32_t last = end < ring->wanted ? end : ring->wanted;
  while (ring->interval + 2u < last)
  {
    const uint64_t next_ns = ring->begin_ns + fivebar_plan_node(ring, ring->interval + 1u)->dt_ns;
    if (next_ns > time_ns)
    {
      break;
    }
    ring->begin_ns = next_ns;
    ++ring->interval;
  }
  ring->first = ring->interval;
  const struct fivebar_node * a = fivebar_plan_node(ring, ring->interval);
  const struct fivebar_node * b =
    ring->interval + 1u < last ? fivebar_plan_node(ring, ring->interval + 1u) : a;
  const uint64_t since_ns = time_ns > ring->begin_ns ? time_ns - ring->begin_ns : 0u;
  const bool inside = b != a && since_ns < b->dt_ns;
  const float h = 1e-9f * (float)(b->dt_ns != 0u ? b->dt_ns : 1u);
  const float s = inside ? (float)(uint32_t)since_ns / (float)b->dt_ns : 1.0f;
  const float r = 1.0f - s;
  const float rising = s * s * (3.0f - 2.0f * s);
  for (unsigned i = 0u; i < 2u; ++i)
  {
    const float from = speed_unit * (float)a->speed[i];
    const float to = speed_unit * (float)b->speed[i];
    const uint32_t apart = (uint32_t)b->phi[i] - (uint32_t)a->phi[i]; /* exact */
    const float rise = FIVEBAR_ANGLE_UNIT * (float)fivebar_signed_32(apart);
    const float bow = h * s * r * (r * from - s * to);
    reference->phi[i] = FIVEBAR_ANGLE_UNIT * (float)a->phi[i] + rising * rise + bow;
    reference->speed[i] =
      6.0f * s * r / h * rise + r * (1.0f - 3.0f * s) * from + s * (3.0f * s - 2.0f) * to;
    reference->volts[i] = volts_unit * (r * (float)a->volts[i] + s * (float)b->volts[i]);
    reference->hold[i] = volts_unit * (r * (float)a->hold[i] + s * (float)b->hold[i]);
  }
}
