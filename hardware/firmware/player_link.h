/* SPDX-License-Identifier: Apache-2.0 */
/* The frames of the second level. */
#ifndef FIVEBAR_FIRMWARE_PLAYER_LINK_H
#define FIVEBAR_FIRMWARE_PLAYER_LINK_H

#include "firmware/board.h"

#ifdef __cplusplus
extern "C" {
#endif

enum fivebar_play_message
{
  FIVEBAR_ASK = 0x10,
  FIVEBAR_SET = 0x11,
  FIVEBAR_PLAN = 0x12,
  FIVEBAR_START = 0x13,
  FIVEBAR_STOP = 0x14,
  FIVEBAR_PULL = 0x15,
  FIVEBAR_REPEAT = 0x16,
  FIVEBAR_ABILITIES = 0x90,
  FIVEBAR_PROGRESS = 0x91,
  FIVEBAR_TELEMETRY = 0x92
};

#define FIVEBAR_SETTINGS_PER_FRAME 15u
#define FIVEBAR_NODES_PER_FRAME 2u
#define FIVEBAR_CYCLES_PER_FRAME 4u

bool fivebar_play_knows(const uint8_t * payload, size_t size);
/* A frame that fivebar_play_knows(), from a host that has greeted. */
void fivebar_play_obey(struct fivebar_board * board, const uint8_t * payload, size_t size);
/* Cycles that have not been sent yet; all of them once the motion is over. */
void fivebar_play_report(struct fivebar_board * board);

#ifdef __cplusplus
}
#endif

#endif
