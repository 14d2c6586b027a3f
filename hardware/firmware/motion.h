/* SPDX-License-Identifier: Apache-2.0 */
/* Where the player is to be: states, how one follows another, and the reference in each. */
#ifndef FIVEBAR_FIRMWARE_MOTION_H
#define FIVEBAR_FIRMWARE_MOTION_H

#include "firmware/player.h"

#ifdef __cplusplus
extern "C" {
#endif

uint64_t fivebar_motion_setting_ns(const struct fivebar_player * p, unsigned word);
/* Of two times, at most 1. */
float fivebar_motion_share(uint64_t part_ns, uint64_t whole_ns);
float fivebar_motion_smooth_step(float s);
float fivebar_motion_start_angle(const struct fivebar_player * p, unsigned joint);
void fivebar_motion_enter(struct fivebar_player * p, uint8_t state);
/* The motion ends here, with the numbers that caused it. */
void fivebar_motion_find(
  struct fivebar_player * p, enum fivebar_play_reason reason, unsigned joint, float value,
  float limit);
void fivebar_motion_make_reference(struct fivebar_player * p, struct fivebar_reference * reference);
/* One period goes by. */
void fivebar_motion_step_state(struct fivebar_player * p);

#ifdef __cplusplus
}
#endif

#endif
