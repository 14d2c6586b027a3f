/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/player_link.h"

#include "firmware/wire.h"

static void send(struct fivebar_board * board, const uint8_t * payload, const uint8_t * end)
{
  uint8_t frame[FIVEBAR_FRAME_MAX];
  const size_t length = fivebar_frame_encode(payload, (size_t)(end - payload), frame);
  board->hooks.send(board->hooks.context, frame, length);
}

bool fivebar_play_knows(const uint8_t * payload, size_t size)
{
  switch (payload[0])
  {
    case FIVEBAR_ASK:
    case FIVEBAR_STOP:
    case FIVEBAR_PULL:
      return size == 3u;
    case FIVEBAR_SET:
      return size >= 8u && (size - 4u) % 4u == 0u;
    case FIVEBAR_PLAN:
      return size == 7u + FIVEBAR_NODE_BYTES || size == 7u + 2u * FIVEBAR_NODE_BYTES;
    case FIVEBAR_START:
      return size == 32u;
    case FIVEBAR_REPEAT:
      return size == 7u;
    default:
      return false;
  }
}

static void send_abilities(struct fivebar_board * board, uint16_t sequence)
{
  uint8_t payload[16];
  uint8_t * to = fivebar_put_u8(payload, FIVEBAR_ABILITIES);
  to = fivebar_put_u16(to, sequence);
  to = fivebar_put_u16(to, (uint16_t)FIVEBAR_PLAN_NODES);
  to = fivebar_put_u32(to, FIVEBAR_PERIOD_NS / 1000u);
  to = fivebar_put_u8(to, (uint8_t)FIVEBAR_SETTINGS);
  to = fivebar_put_u16(to, (uint16_t)FIVEBAR_TELEMETRY_KEPT);
  send(board, payload, to);
}

/* Both ends compare the words as they go over the line. */
static uint32_t settings_crc(const struct fivebar_player * player)
{
  uint8_t bytes[4u * FIVEBAR_SETTINGS];
  uint8_t * to = bytes;
  for (unsigned i = 0u; i < FIVEBAR_SETTINGS; ++i)
  {
    to = fivebar_put_u32(to, player->settings[i]);
  }
  return fivebar_crc32(bytes, sizeof bytes);
}

static void send_progress(struct fivebar_board * board, uint16_t sequence)
{
  const struct fivebar_player * player = &board->player;
  const struct fivebar_hooks * hooks = &board->hooks;
  const unsigned present = hooks->faults(hooks->context) & (unsigned)FIVEBAR_FAULTS;
  uint8_t payload[FIVEBAR_PAYLOAD_MAX];
  uint8_t * to = fivebar_put_u8(payload, FIVEBAR_PROGRESS);
  to = fivebar_put_u16(to, sequence);
  to = fivebar_put_u32(to, hooks->time_us(hooks->context));
  to = fivebar_put_u8(fivebar_put_u8(to, player->state), player->reason);
  to = fivebar_put_u8(to, (uint8_t)player->joint);
  to = fivebar_put_u16(
    to, (uint16_t)(board->latched | present | (board->armed ? (unsigned)FIVEBAR_ARMED : 0u)));
  to = fivebar_put_u32(to, player->ring.wanted);
  to = fivebar_put_u16(to, (uint16_t)fivebar_plan_room(&player->ring));
  to = fivebar_put_u32(to, player->cycles);
  to = fivebar_put_u32(to, player->first_us);
  to = fivebar_put_u32(to, (uint32_t)(player->path_ns / 1000u));
  to = fivebar_put_u32(to, board->settings_crc);
  to = fivebar_put_u32(to, fivebar_bits_of(player->value));
  to = fivebar_put_u32(to, fivebar_bits_of(player->limit));
  to = fivebar_put_u16(fivebar_put_u16(to, board->bad_frames), board->lost_frames);
  send(board, payload, to);
}

static void send_cycles(struct fivebar_board * board, uint32_t first)
{
  const struct fivebar_player * player = &board->player;
  uint8_t payload[FIVEBAR_PAYLOAD_MAX];
  uint8_t * to = fivebar_put_u8(payload, FIVEBAR_TELEMETRY);
  to = fivebar_put_u16(to, 0u);
  to = fivebar_put_u32(to, first);
  uint32_t cycle = first;
  for (; cycle != player->cycles && cycle - first < FIVEBAR_CYCLES_PER_FRAME; ++cycle)
  {
    const struct fivebar_cycle * c = &player->kept[cycle & (FIVEBAR_TELEMETRY_KEPT - 1u)];
    to = fivebar_put_u32(fivebar_put_u32(to, (uint32_t)c->counts[0]), (uint32_t)c->counts[1]);
    to = fivebar_put_u16(fivebar_put_u16(to, (uint16_t)c->output[0]), (uint16_t)c->output[1]);
    to = fivebar_put_u8(fivebar_put_u8(to, c->state), c->flags);
  }
  if (cycle != first)
  {
    send(board, payload, to);
  }
}

void fivebar_play_report(struct fivebar_board * board)
{
  struct fivebar_player * player = &board->player;
  const bool over = !fivebar_player_is_on(player);
  while (player->cycles - player->sent >= (over ? 1u : FIVEBAR_CYCLES_PER_FRAME))
  {
    const uint32_t first = player->sent;
    const uint32_t left = player->cycles - first;
    player->sent += left < FIVEBAR_CYCLES_PER_FRAME ? left : FIVEBAR_CYCLES_PER_FRAME;
    send_cycles(board, first);
  }
}

static void obey_set(struct fivebar_board * board, const uint8_t * payload, size_t size)
{
  struct fivebar_player * player = &board->player;
  const size_t first = payload[3];
  const size_t count = (size - 4u) / 4u;
  if (fivebar_player_is_on(player) || first + count > FIVEBAR_SETTINGS)
  {
    ++board->bad_frames;
    return;
  }
  if (first == 0u)
  {
    fivebar_plan_clear(&player->ring); /* another program begins */
  }
  for (size_t i = 0u; i < count; ++i)
  {
    player->settings[first + i] = fivebar_read_u32(payload + 4u + 4u * i);
  }
  board->settings_crc = settings_crc(player);
}

/* Nodes are taken in their order only; the host sees in PROGRESS which one is wanted. */
static void obey_plan(struct fivebar_board * board, const uint8_t * payload, size_t size)
{
  struct fivebar_player * player = &board->player;
  const uint32_t first = fivebar_read_u32(payload + 3);
  if (first != player->ring.wanted)
  {
    return;
  }
  for (size_t at = 7u; at < size; at += FIVEBAR_NODE_BYTES)
  {
    if (!fivebar_plan_take(&player->ring, payload + at))
    {
      return;
    }
  }
}

static void obey_start(struct fivebar_board * board, const uint8_t * body)
{
  const struct fivebar_hooks * hooks = &board->hooks;
  struct fivebar_player * player = &board->player;
  const unsigned present = hooks->faults(hooks->context) & (unsigned)FIVEBAR_FAULTS;
  const uint32_t session = fivebar_read_u32(body);
  const uint32_t crc = fivebar_read_u32(body + 8);
  struct fivebar_start start;
  start.time_us = fivebar_read_u32(body + 4);
  start.path_nodes = fivebar_read_u32(body + 12);
  start.nodes = fivebar_read_u32(body + 16);
  start.length_ns =
    (uint64_t)fivebar_read_u32(body + 20) * 1000000000u + (uint64_t)fivebar_read_u32(body + 24);
  start.align = body[28] != 0u;
  if (fivebar_player_is_on(player))
  {
    return; /* an answer was lost: it is on already */
  }
  const uint32_t now_us = hooks->time_us(hooks->context);
  /* Too far away, or past, is a mistake about clocks. */
  const uint32_t ahead = start.time_us - now_us;
  enum fivebar_play_reason reason = FIVEBAR_NO_REASON;
  if (session != board->session || ahead > 1000000u)
  {
    reason = FIVEBAR_BAD_SESSION;
  }
  else if (crc != board->settings_crc)
  {
    reason = FIVEBAR_BAD_SETTINGS;
  }
  else if (present != 0u)
  {
    reason = FIVEBAR_CAUSE_PRESENT;
  }
  else
  {
    reason = fivebar_player_start(player, &start, now_us);
  }
  player->reason = (uint8_t)reason;
  if (reason == FIVEBAR_NO_REASON)
  {
    fivebar_board_arm_player(board);
  }
}

void fivebar_play_obey(struct fivebar_board * board, const uint8_t * payload, size_t size)
{
  const struct fivebar_hooks * hooks = &board->hooks;
  struct fivebar_player * player = &board->player;
  const uint16_t sequence = fivebar_read_u16(payload + 1);
  player->heard_us = hooks->time_us(hooks->context);
  switch (payload[0])
  {
    case FIVEBAR_ASK:
      send_abilities(board, sequence);
      break;
    case FIVEBAR_SET:
      obey_set(board, payload, size);
      break;
    case FIVEBAR_PLAN:
      obey_plan(board, payload, size);
      break;
    case FIVEBAR_START:
      obey_start(board, payload + 3);
      send_progress(board, sequence);
      break;
    case FIVEBAR_STOP:
      player->stop_asked = true;
      send_progress(board, sequence);
      break;
    case FIVEBAR_REPEAT: {
      const uint32_t first = fivebar_read_u32(payload + 3);
      if (first < player->cycles && player->cycles - first <= FIVEBAR_TELEMETRY_KEPT)
      {
        send_cycles(board, first);
      }
      break;
    }
    default:
      send_progress(board, sequence);
      break;
  }
}
