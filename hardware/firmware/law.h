/* SPDX-License-Identifier: Apache-2.0 */
/* What the player measures and what it gives: velocity filter, PD, slew, clamp, calibration. */
#ifndef FIVEBAR_FIRMWARE_LAW_H
#define FIVEBAR_FIRMWARE_LAW_H

#include "firmware/player.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline float fivebar_magnitude(float x) { return x < 0.0f ? -x : x; }
static inline bool fivebar_is_finite(float x) { return x - x == 0.0f; }

/* Angles and speeds from the counts; `jumped` is set to the joint whose counts no motion explains.
 */
void fivebar_law_sense(
  struct fivebar_player * player, const int32_t counts[2], bool first, unsigned * jumped);
/* False if the sum is no number. */
bool fivebar_law_drive(
  struct fivebar_player * player, const struct fivebar_reference * reference, float relaxed,
  struct fivebar_drive * drive, bool * limited);

#ifdef __cplusplus
}
#endif

#endif
