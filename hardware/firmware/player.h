/* SPDX-License-Identifier: Apache-2.0 */
/* The second level: the board plays a plan by itself, in its own timer, under PD and its own guard.
 * The law, the states and their order within a cycle are those of the host's ControlCore, in single
 * precision; docs/serial_protocol.md says what of it the host tells and asks. */
#ifndef FIVEBAR_FIRMWARE_PLAYER_H
#define FIVEBAR_FIRMWARE_PLAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware/plan_ring.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FIVEBAR_PERIOD_NS 1000000u /* of fivebar_board_tick() and of the control law */
#define FIVEBAR_TELEMETRY_KEPT 64u /* cycles that can be asked for again; a power of two */

/* Words of the settings: single precision unless an integer is named. */
enum fivebar_setting
{
  FIVEBAR_SET_FLAGS, /* integer: FIVEBAR_PLAY_... */
  FIVEBAR_SET_KP,
  FIVEBAR_SET_KD,
  FIVEBAR_SET_KI,
  FIVEBAR_SET_INTEGRAL_LIMIT,
  FIVEBAR_SET_POSITION_GAIN, /* of the velocity observer */
  FIVEBAR_SET_SPEED_GAIN,    /* of the velocity filter or observer */
  FIVEBAR_SET_VOLTAGE_LIMIT,
  FIVEBAR_SET_VOLTAGE_CHANGE, /* V per period */
  FIVEBAR_SET_VOLTS_UNIT,     /* V of one unit of a node's volts */
  FIVEBAR_SET_SPEED_UNIT,     /* rad/s of one unit of a node's speed */
  FIVEBAR_SET_START_TOLERANCE,
  FIVEBAR_SET_ALIGN_SPEED,
  FIVEBAR_SET_FOLLOWING_BAND,
  FIVEBAR_SET_JOINT_SPEED,
  FIVEBAR_SET_JUMP, /* rad per period */
  FIVEBAR_SET_JOINTS,
  /* ... of joint 1, then of joint 4: */
  FIVEBAR_JOINT_ORIGIN = 0, /* integer: counts ... */
  FIVEBAR_JOINT_ANGLE,      /* ... at this angle */
  FIVEBAR_JOINT_PER_COUNT,  /* rad, signed */
  FIVEBAR_JOINT_LOWEST,
  FIVEBAR_JOINT_HIGHEST,
  FIVEBAR_JOINT_OUTPUT_GAIN, /* V at the output per V at the motor, signed */
  FIVEBAR_JOINT_OUTPUT_LIMIT,
  FIVEBAR_JOINT_DEAD_BAND,       /* V at the motor, added ... */
  FIVEBAR_JOINT_DEAD_BAND_SLOPE, /* ... by this much per V, the inverse of its width */
  FIVEBAR_JOINT_WORDS,
  /* Integers, microseconds: */
  FIVEBAR_SET_FOLLOWING_WINDOW = FIVEBAR_SET_JOINTS + 2 * FIVEBAR_JOINT_WORDS,
  FIVEBAR_SET_STOP_TIME,
  FIVEBAR_SET_SETTLE_TIME,
  FIVEBAR_SET_HOLD_TIME,
  FIVEBAR_SET_RELAX_TIME,
  FIVEBAR_SET_ALIGN_SETTLE,
  FIVEBAR_SET_ALIGN_TIMEOUT,
  FIVEBAR_SET_HOST_SILENCE,
  FIVEBAR_SETTINGS
};

#define FIVEBAR_LONGEST_TIME_US 60000000u   /* of any of the times ... */
#define FIVEBAR_LONGEST_SILENCE_US 1000000u /* ... and of a host that may stop talking */

/* Of FIVEBAR_SET_FLAGS. */
#define FIVEBAR_PLAY_FEEDFORWARD 1u
#define FIVEBAR_PLAY_OBSERVER 2u /* tracking observer; otherwise the filtered difference */

enum fivebar_play_state
{
  FIVEBAR_IDLE,
  FIVEBAR_ALIGNING,
  FIVEBAR_PLAYING,
  FIVEBAR_STOPPING,
  FIVEBAR_HOLDING,
  FIVEBAR_RELAXING,
  FIVEBAR_FAULT,
  FIVEBAR_WAITING /* armed; the time of the start has not come */
};

enum fivebar_play_reason
{
  FIVEBAR_NO_REASON,
  /* Not started: */
  FIVEBAR_BAD_SESSION,
  FIVEBAR_BAD_SETTINGS,
  FIVEBAR_NO_PLAN, /* or not enough of it */
  FIVEBAR_CAUSE_PRESENT,
  FIVEBAR_NOT_AT_START,
  /* Stopped smoothly: */
  FIVEBAR_ASKED_TO_STOP,
  FIVEBAR_STREAM_DRY,
  FIVEBAR_HOST_SILENT,
  /* Zero volts at once: */
  FIVEBAR_DISARMED,
  FIVEBAR_DEVICE_FAULT, /* the status says which */
  FIVEBAR_FOLLOWING,
  FIVEBAR_RANGE,
  FIVEBAR_SPEED,
  FIVEBAR_JUMP,
  FIVEBAR_ALIGN_TIMEOUT,
  FIVEBAR_NOT_FINITE
};

struct fivebar_cycle
{
  int32_t counts[2];
  int16_t output[2]; /* mV, from this sample on */
  uint8_t state;
  uint8_t flags; /* 1: slew or clamp changed the volts; the reason, shifted by one */
};

struct fivebar_start
{
  uint32_t time_us; /* of the board */
  uint32_t path_nodes, nodes;
  uint64_t length_ns; /* of the path */
  bool align;
};

struct fivebar_player
{
  struct fivebar_plan_ring ring;
  uint32_t settings[FIVEBAR_SETTINGS];
  struct fivebar_start start;
  uint8_t state, reason;
  int8_t joint;
  float value, limit; /* what was found */
  bool stop_asked;
  bool stopped_from_align;
  bool along_tail; /* holding at the end of the path, with the volts of the nodes behind it */
  uint32_t heard_us;
  uint32_t first_us; /* time of the first cycle */

  uint64_t state_ns, path_ns, move_ns, settled_ns;
  uint64_t align_ns;
  float align_from[2];
  uint32_t astray_us[2];
  struct fivebar_reference settle_from;

  int32_t counts[2];
  float angle[2], speed[2], observed[2];
  float integral[2], volts[2];

  struct fivebar_cycle kept[FIVEBAR_TELEMETRY_KEPT];
  uint32_t cycles, sent;
};

/* What a cycle decided. */
struct fivebar_drive
{
  bool driving;
  int32_t millivolts[2]; /* at the outputs */
};

void fivebar_player_init(struct fivebar_player * player);
bool fivebar_player_is_on(const struct fivebar_player * player);
/* The reason why it cannot start; then nothing has changed but the reason. */
enum fivebar_play_reason fivebar_player_start(
  struct fivebar_player * player, const struct fivebar_start * start, uint32_t now_us);
/* The outputs are off from now on; a cycle that says so is kept. */
void fivebar_player_end(struct fivebar_player * player, uint8_t state, uint8_t reason);
/* One period. `counts` are of now. */
struct fivebar_drive fivebar_player_step(
  struct fivebar_player * player, const int32_t counts[2], uint32_t now_us);
float fivebar_player_setting(const struct fivebar_player * player, unsigned word);
float fivebar_player_joint(const struct fivebar_player * player, unsigned joint, unsigned word);

#ifdef __cplusplus
}
#endif

#endif
