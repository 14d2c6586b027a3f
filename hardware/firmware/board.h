/* SPDX-License-Identifier: Apache-2.0 */
/* The motor board's behaviour: handshake, arming, commands, watchdog, status, and in player.h how
 * it plays a plan by itself. It knows no microcontroller; a port fills in the hooks and calls the
 * two functions at the end. docs/serial_protocol.md is the specification. */
#ifndef FIVEBAR_FIRMWARE_BOARD_H
#define FIVEBAR_FIRMWARE_BOARD_H

#include "firmware/frame.h"
#include "firmware/player.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FIVEBAR_PROTOCOL_MAJOR 1u /* other numbers are refused by both ends */
/* 1: ARM may say that the robot is homing; 2: the board can play a plan by itself */
#define FIVEBAR_PROTOCOL_MINOR 2u
/* Zero volts at the motors 50 ms after the last command; two of them are kept for the period of
 * fivebar_board_tick() and for the bridge. */
#define FIVEBAR_WATCHDOG_US 48000u
/* A driven motor whose encoder shows no count for this long has no encoder. */
#define FIVEBAR_STALL_US 40000u
#define FIVEBAR_STALL_MILLIVOLTS 1500
/* While homing a link may push against its end stop for longer, but only as hard as this. */
#define FIVEBAR_HOMING_STALL_US 400000u
#define FIVEBAR_HOMING_MILLIVOLTS 3000
/* Ticks at the same time in a row after which the timer counts as dead. */
#define FIVEBAR_TICKS_OF_A_DEAD_TIMER 20u
/* Flags of ARM. */
#define FIVEBAR_ARM_HOMING 1u

enum fivebar_message
{
  FIVEBAR_HELLO = 0x01,
  FIVEBAR_ARM = 0x02,
  FIVEBAR_DISARM = 0x03,
  FIVEBAR_COMMAND = 0x04,
  FIVEBAR_REQUEST = 0x05,
  FIVEBAR_INFO = 0x81,
  FIVEBAR_STATE = 0x82
};

enum fivebar_status
{
  FIVEBAR_ARMED = 1 << 0,
  FIVEBAR_WATCHDOG = 1 << 1,
  FIVEBAR_OVER_CURRENT = 1 << 2,
  FIVEBAR_UNDER_VOLTAGE = 1 << 3,
  FIVEBAR_ENCODER_ERROR = 1 << 4,
  FIVEBAR_EMERGENCY_STOP = 1 << 5,
  FIVEBAR_INDEX_1 = 1 << 6, /* an index pulse was seen since power-up */
  FIVEBAR_INDEX_4 = 1 << 7
};
#define FIVEBAR_FAULTS                                                                       \
  (FIVEBAR_WATCHDOG | FIVEBAR_OVER_CURRENT | FIVEBAR_UNDER_VOLTAGE | FIVEBAR_ENCODER_ERROR | \
   FIVEBAR_EMERGENCY_STOP)

/* What a port provides. Index 0 is the motor of driven link 1, index 1 that of link 4. None of
 * them may wait. */
struct fivebar_hooks
{
  void * context;
  uint32_t (*time_us)(void * context); /* wraps around; must move between two ticks */
  int32_t (*counts)(void * context, int motor);
  /* Counts at the last index pulse; false if there was none. */
  bool (*index)(void * context, int motor, int32_t * counts);
  /* Average volts at the motor's terminals; (0, 0) must switch the bridges off. */
  void (*set_output)(void * context, int32_t millivolts_1, int32_t millivolts_4);
  /* The bits of FIVEBAR_FAULTS whose cause is present now. */
  uint16_t (*faults)(void * context);
  /* A whole frame; dropped if it does not fit, never in parts. */
  void (*send)(void * context, const uint8_t * bytes, size_t size);
  /* The microcontroller's own watchdog, at most 45 ms: it ends a hung firmware by a reset, and
   * the pins of the bridges must be off in reset. Not kicked while the timer stands still. */
  void (*kick_hardware_watchdog)(void * context);
};

struct fivebar_board
{
  struct fivebar_hooks hooks;
  struct fivebar_frame_reader reader;
  uint32_t session; /* differs after each reset */
  int32_t full_scale_millivolts;
  bool greeted; /* the handshake is done with our protocol version */
  bool armed;
  bool homing;      /* armed for homing: fewer volts, more patience with a standing encoder */
  uint16_t latched; /* faults since the last arming */
  uint16_t sequence;
  uint16_t command_sequence;
  uint16_t bad_frames, lost_frames; /* wrap around */
  uint32_t command_time_us;
  uint32_t tick_time_us;     /* of the last tick ... */
  uint32_t still_ticks;      /* ... and how many in a row were at that same time */
  int32_t output[2];         /* mV */
  int32_t stall_counts[2];   /* where the encoder stood ... */
  uint32_t stall_time_us[2]; /* ... since then */
  uint32_t settings_crc;     /* of the player's settings */
  struct fivebar_player player;
};

/* `session` should be random or counted in non-volatile memory. Output is zero afterwards. */
void fivebar_board_init(
  struct fivebar_board * board, const struct fivebar_hooks * hooks, uint32_t session,
  int32_t full_scale_millivolts);
/* For every byte from the line. */
void fivebar_board_receive(struct fivebar_board * board, uint8_t byte);
/* Once per millisecond, from a timer of its own: watchdog and faults, and the law while the board
 * plays. Neither of the two may interrupt the other. */
void fivebar_board_tick(struct fivebar_board * board);
/* For player_link.c: the player was started, and drives the motors from now on. */
void fivebar_board_arm_player(struct fivebar_board * board);

#ifdef __cplusplus
}
#endif

#endif
