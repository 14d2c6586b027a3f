/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/board.h"

#include <string.h>

#include "firmware/player_link.h"
#include "firmware/wire.h"

static void send(struct fivebar_board * board, const uint8_t * payload, size_t size)
{
  uint8_t frame[FIVEBAR_FRAME_MAX];
  const size_t length = fivebar_frame_encode(payload, size, frame);
  board->hooks.send(board->hooks.context, frame, length);
}

static void set_output(struct fivebar_board * board, int32_t first, int32_t second)
{
  board->output[0] = first;
  board->output[1] = second;
  board->hooks.set_output(board->hooks.context, first, second);
}

static void switch_off(struct fivebar_board * board, uint8_t state, uint8_t reason)
{
  board->armed = false;
  board->homing = false;
  set_output(board, 0, 0);
  fivebar_player_end(&board->player, state, reason);
  fivebar_play_report(board);
}

static void disarm(struct fivebar_board * board)
{
  switch_off(board, FIVEBAR_IDLE, FIVEBAR_DISARMED);
}

static void fail(struct fivebar_board * board, uint16_t faults)
{
  board->latched = (uint16_t)(board->latched | faults);
  switch_off(board, FIVEBAR_FAULT, FIVEBAR_DEVICE_FAULT);
}

static uint16_t status_of(const struct fivebar_board * board, uint16_t present)
{
  return (uint16_t)(board->latched | present | (board->armed ? FIVEBAR_ARMED : 0));
}

static void send_info(struct fivebar_board * board, uint16_t sequence, uint32_t nonce)
{
  uint8_t payload[20];
  uint8_t * to = payload;
  *to++ = FIVEBAR_INFO;
  to = fivebar_put_u16(to, sequence);
  to = fivebar_put_u32(to, nonce);
  *to++ = FIVEBAR_PROTOCOL_MAJOR;
  *to++ = FIVEBAR_PROTOCOL_MINOR;
  to = fivebar_put_u32(to, board->session);
  to = fivebar_put_u16(to, (uint16_t)(FIVEBAR_WATCHDOG_US / 1000u));
  to = fivebar_put_u32(to, (uint32_t)board->full_scale_millivolts);
  send(board, payload, (size_t)(to - payload));
}

static void send_state(struct fivebar_board * board, uint16_t sequence)
{
  const struct fivebar_hooks * hooks = &board->hooks;
  int32_t counts[2];
  int32_t index[2] = {0, 0};
  uint16_t status = (uint16_t)(hooks->faults(hooks->context) & FIVEBAR_FAULTS);
  const uint32_t time_us = hooks->time_us(hooks->context);
  for (int i = 0; i < 2; ++i)
  {
    counts[i] = hooks->counts(hooks->context, i);
    if (hooks->index(hooks->context, i, &index[i]))
    {
      status = (uint16_t)(status | (i == 0 ? FIVEBAR_INDEX_1 : FIVEBAR_INDEX_4));
    }
  }
  uint8_t payload[FIVEBAR_PAYLOAD_MAX];
  uint8_t * to = payload;
  *to++ = FIVEBAR_STATE;
  to = fivebar_put_u16(to, sequence);
  to = fivebar_put_u32(to, time_us);
  to = fivebar_put_u16(to, status_of(board, status));
  to = fivebar_put_u32(fivebar_put_u32(to, (uint32_t)counts[0]), (uint32_t)counts[1]);
  to = fivebar_put_u32(fivebar_put_u32(to, (uint32_t)index[0]), (uint32_t)index[1]);
  to = fivebar_put_u16(fivebar_put_u16(to, (uint16_t)board->output[0]), (uint16_t)board->output[1]);
  to = fivebar_put_u16(to, board->command_sequence);
  to = fivebar_put_u16(to, board->bad_frames);
  to = fivebar_put_u16(to, board->lost_frames);
  send(board, payload, (size_t)(to - payload));
}

/* Nothing that comes after the silence may hide it: whoever looks first trips the watchdog. */
static bool is_silent(const struct fivebar_board * board)
{
  const uint32_t now = board->hooks.time_us(board->hooks.context);
  return (uint32_t)(now - board->command_time_us) >= FIVEBAR_WATCHDOG_US;
}

static void arm(struct fivebar_board * board)
{
  const struct fivebar_hooks * hooks = &board->hooks;
  board->armed = true;
  board->homing = false;
  board->still_ticks = 0u;
  board->command_time_us = hooks->time_us(hooks->context);
  for (int i = 0; i < 2; ++i)
  {
    board->stall_counts[i] = hooks->counts(hooks->context, i);
    board->stall_time_us[i] = board->command_time_us;
  }
}

static void obey_arm(struct fivebar_board * board, uint32_t session, uint8_t flags)
{
  const struct fivebar_hooks * hooks = &board->hooks;
  const uint16_t present = (uint16_t)(hooks->faults(hooks->context) & FIVEBAR_FAULTS);
  disarm(board);
  if (!board->greeted || session != board->session)
  {
    return;
  }
  board->latched = present;
  if (present != 0u)
  {
    return;
  }
  arm(board);
  board->homing = (flags & FIVEBAR_ARM_HOMING) != 0u;
}

void fivebar_board_arm_player(struct fivebar_board * board)
{
  board->latched = 0u;
  arm(board);
}

static int32_t limited(const struct fivebar_board * board, int32_t millivolts)
{
  const int32_t full_scale = board->full_scale_millivolts;
  const bool low = board->homing && full_scale > FIVEBAR_HOMING_MILLIVOLTS;
  const int32_t limit = low ? FIVEBAR_HOMING_MILLIVOLTS : full_scale;
  return millivolts > limit ? limit : (millivolts < -limit ? -limit : millivolts);
}

static void obey_command(struct fivebar_board * board, const uint8_t * body, uint16_t sequence)
{
  if (!board->armed || fivebar_player_is_on(&board->player))
  {
    return; /* there is one master at a time */
  }
  if (is_silent(board))
  {
    fail(board, FIVEBAR_WATCHDOG);
    return;
  }
  board->command_time_us = board->hooks.time_us(board->hooks.context);
  board->command_sequence = sequence;
  set_output(
    board, limited(board, fivebar_read_i16(body)), limited(board, fivebar_read_i16(body + 2)));
}

/* A frame that is not newer than the last one was duplicated or overtaken: it is not obeyed. */
static bool is_next(struct fivebar_board * board, uint16_t sequence)
{
  const uint16_t ahead = (uint16_t)(sequence - board->sequence);
  if (ahead == 0u || ahead >= 0x8000u)
  {
    return false;
  }
  board->lost_frames = (uint16_t)(board->lost_frames + ahead - 1u);
  board->sequence = sequence;
  return true;
}

static void obey(struct fivebar_board * board, const uint8_t * payload, size_t size)
{
  if (size < 3u)
  {
    ++board->bad_frames;
    return;
  }
  const uint16_t sequence = fivebar_read_u16(payload + 1);
  const uint8_t * body = payload + 3;
  if (payload[0] == FIVEBAR_HELLO && size == 8u)
  {
    /* Whoever greets is a new host: what the old one wanted is void. */
    disarm(board);
    board->greeted = body[4] == FIVEBAR_PROTOCOL_MAJOR;
    board->sequence = sequence;
    board->lost_frames = 0u;
    board->bad_frames = 0u;
    send_info(board, sequence, fivebar_read_u32(body));
    return;
  }
  const bool known =
    (payload[0] == FIVEBAR_ARM && (size == 7u || size == 8u)) ||
    (payload[0] == FIVEBAR_DISARM && size == 3u) || (payload[0] == FIVEBAR_COMMAND && size == 7u) ||
    (payload[0] == FIVEBAR_REQUEST && size == 3u) || fivebar_play_knows(payload, size);
  if (!known)
  {
    ++board->bad_frames;
    return;
  }
  if (!board->greeted)
  {
    /* After a reset the host must learn at once that nobody drives any more. */
    if (payload[0] == FIVEBAR_REQUEST)
    {
      send_state(board, sequence);
    }
    return;
  }
  if (!is_next(board, sequence))
  {
    return;
  }
  switch (payload[0])
  {
    case FIVEBAR_ARM:
      obey_arm(board, fivebar_read_u32(body), size == 8u ? body[4] : 0u);
      send_state(board, sequence);
      break;
    case FIVEBAR_DISARM:
      disarm(board);
      send_state(board, sequence);
      break;
    case FIVEBAR_COMMAND:
      obey_command(board, body, sequence);
      break;
    case FIVEBAR_REQUEST:
      send_state(board, sequence);
      break;
    default:
      fivebar_play_obey(board, payload, size);
      break;
  }
}

void fivebar_board_init(
  struct fivebar_board * board, const struct fivebar_hooks * hooks, uint32_t session,
  int32_t full_scale_millivolts)
{
  memset(board, 0, sizeof *board);
  board->hooks = *hooks;
  board->session = session;
  board->full_scale_millivolts = full_scale_millivolts;
  fivebar_frame_reader_init(&board->reader);
  fivebar_player_init(&board->player);
  set_output(board, 0, 0);
}

void fivebar_board_receive(struct fivebar_board * board, uint8_t byte)
{
  switch (fivebar_frame_take(&board->reader, byte))
  {
    case FIVEBAR_FRAME_GOOD:
      obey(board, board->reader.payload, board->reader.size);
      break;
    case FIVEBAR_FRAME_BAD:
      ++board->bad_frames;
      break;
    case FIVEBAR_FRAME_NONE:
      break;
  }
}

/* True if motor i has been driven for a while without a single count. */
static bool is_stalled(struct fivebar_board * board, int i, uint32_t now)
{
  const int32_t counts = board->hooks.counts(board->hooks.context, i);
  const int32_t output = board->output[i];
  const bool driven = output > FIVEBAR_STALL_MILLIVOLTS || output < -FIVEBAR_STALL_MILLIVOLTS;
  if (!driven || counts != board->stall_counts[i])
  {
    board->stall_counts[i] = counts;
    board->stall_time_us[i] = now;
    return false;
  }
  return (uint32_t)(now - board->stall_time_us[i]) >=
         (board->homing ? FIVEBAR_HOMING_STALL_US : FIVEBAR_STALL_US);
}

/* One period of the player, and what it says about it. */
static void play(struct fivebar_board * board, uint32_t now)
{
  const struct fivebar_hooks * hooks = &board->hooks;
  const int32_t counts[2] = {hooks->counts(hooks->context, 0), hooks->counts(hooks->context, 1)};
  const struct fivebar_drive drive = fivebar_player_step(&board->player, counts, now);
  if (drive.driving)
  {
    set_output(board, limited(board, drive.millivolts[0]), limited(board, drive.millivolts[1]));
  }
  else if (!fivebar_player_is_on(&board->player))
  {
    board->armed = false;
    set_output(board, 0, 0);
  }
  fivebar_play_report(board);
}

void fivebar_board_tick(struct fivebar_board * board)
{
  const struct fivebar_hooks * hooks = &board->hooks;
  const uint32_t now = hooks->time_us(hooks->context);
  board->still_ticks = now == board->tick_time_us ? board->still_ticks + 1u : 0u;
  board->tick_time_us = now;
  const bool timer_is_dead = board->still_ticks >= FIVEBAR_TICKS_OF_A_DEAD_TIMER;
  if (timer_is_dead)
  {
    board->still_ticks = FIVEBAR_TICKS_OF_A_DEAD_TIMER; /* does not wrap around */
  }
  else
  {
    hooks->kick_hardware_watchdog(hooks->context);
  }
  const uint16_t present = (uint16_t)(hooks->faults(hooks->context) & FIVEBAR_FAULTS);
  if (present != 0u)
  {
    fail(board, present);
  }
  if (!board->armed)
  {
    return;
  }
  const bool playing = fivebar_player_is_on(&board->player);
  if (timer_is_dead || (!playing && is_silent(board)))
  {
    fail(board, FIVEBAR_WATCHDOG);
    return;
  }
  for (int i = 0; i < 2; ++i)
  {
    if (is_stalled(board, i, now))
    {
      fail(board, FIVEBAR_ENCODER_ERROR);
      return;
    }
  }
  if (playing)
  {
    play(board, now);
  }
}
