/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a plan that is on the board: a ring of nodes that is filled ahead of the time that is
 * played, and what the plan asks for between them. */
#ifndef FIVEBAR_FIRMWARE_PLAN_RING_H
#define FIVEBAR_FIRMWARE_PLAN_RING_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A power of two. 512 nodes at the planner's 5 ms are 2.5 s. */
#ifndef FIVEBAR_PLAN_NODES
#define FIVEBAR_PLAN_NODES 512u
#endif

#define FIVEBAR_NODE_BYTES 24u           /* on the line, as in memory */
#define FIVEBAR_ANGLE_UNIT 1.4901161e-8f /* rad, 2^-26 */

struct fivebar_node
{
  uint32_t dt_ns;   /* after the node before */
  int32_t phi[2];   /* FIVEBAR_ANGLE_UNIT */
  int16_t volts[2]; /* feedforward, in units that the settings give */
  int16_t hold[2];  /* of it what holds the links against gravity */
  int16_t speed[2];
};

struct fivebar_reference
{
  float volts[2], hold[2]; /* V */
  float phi[2];            /* rad */
  float speed[2];          /* rad/s */
};

struct fivebar_plan_ring
{
  struct fivebar_node nodes[FIVEBAR_PLAN_NODES];
  uint32_t first;       /* the oldest node that is kept */
  uint32_t wanted;      /* the next one to come: nodes first..wanted-1 are here */
  uint64_t received_ns; /* time of the last one */
  uint32_t interval;    /* between this node ... */
  uint64_t begin_ns;    /* ... at this time ... and the next is what is played */
};

void fivebar_plan_clear(struct fivebar_plan_ring * ring);
uint32_t fivebar_plan_room(const struct fivebar_plan_ring * ring);
/* One node as it came; false if there is no room, or no time passes to it. */
bool fivebar_plan_take(struct fivebar_plan_ring * ring, const uint8_t * bytes);
const struct fivebar_node * fivebar_plan_node(const struct fivebar_plan_ring * ring, uint32_t i);
/* From node `i` on, whose time is `begin_ns`. */
void fivebar_plan_seek(struct fivebar_plan_ring * ring, uint32_t i, uint64_t begin_ns);
/* What is asked for at a time that only grows: volts linear, angles cubic Hermite with the speeds.
 * Nodes before `end` count; beyond the last of them nothing changes any more. Nodes that have been
 * passed are given up. */
void fivebar_plan_at(
  struct fivebar_plan_ring * ring, uint64_t time_ns, uint32_t end, float volts_unit,
  float speed_unit, struct fivebar_reference * reference);

#ifdef __cplusplus
}
#endif

#endif
