/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/player.h"

#include <string.h>

#include "firmware/law.h"
#include "firmware/motion.h"
#include "firmware/wire.h"

void fivebar_player_init(struct fivebar_player * player)
{
  memset(player, 0, sizeof *player);
  fivebar_plan_clear(&player->ring);
}

bool fivebar_player_is_on(const struct fivebar_player * player)
{
  return player->state != FIVEBAR_IDLE && player->state != FIVEBAR_FAULT;
}

static bool is_driving(const struct fivebar_player * p)
{
  return fivebar_player_is_on(p) && p->state != FIVEBAR_WAITING;
}

/* Whatever the host has sent, the motion ends in bounded time and the numbers are numbers. */
static bool settings_are_good(const struct fivebar_player * p)
{
  for (unsigned i = FIVEBAR_SET_KP; i < FIVEBAR_SET_FOLLOWING_WINDOW; ++i)
  {
    const bool joint_word = i >= FIVEBAR_SET_JOINTS;
    const bool integer = joint_word && (i - FIVEBAR_SET_JOINTS) % FIVEBAR_JOINT_WORDS == 0u;
    if (!integer && !fivebar_is_finite(fivebar_player_setting(p, i)))
    {
      return false;
    }
  }
  for (unsigned i = FIVEBAR_SET_FOLLOWING_WINDOW; i < FIVEBAR_SETTINGS; ++i)
  {
    if (p->settings[i] > FIVEBAR_LONGEST_TIME_US)
    {
      return false;
    }
  }
  const uint32_t silence = p->settings[FIVEBAR_SET_HOST_SILENCE];
  return silence != 0u && silence <= FIVEBAR_LONGEST_SILENCE_US &&
         p->settings[FIVEBAR_SET_STOP_TIME] != 0u && p->settings[FIVEBAR_SET_SETTLE_TIME] != 0u &&
         p->settings[FIVEBAR_SET_RELAX_TIME] != 0u &&
         fivebar_player_setting(p, FIVEBAR_SET_VOLTAGE_LIMIT) >= 0.0f &&
         fivebar_player_setting(p, FIVEBAR_SET_VOLTAGE_CHANGE) > 0.0f &&
         fivebar_player_setting(p, FIVEBAR_SET_ALIGN_SPEED) > 0.0f &&
         fivebar_player_setting(p, FIVEBAR_SET_FOLLOWING_BAND) > 0.0f;
}

/* Slowing down goes along half of its time at full speed: so much must always be here. */
static bool is_dry(const struct fivebar_player * p)
{
  const uint64_t needed =
    p->path_ns + fivebar_motion_setting_ns(p, FIVEBAR_SET_STOP_TIME) / 2u + 2u * FIVEBAR_PERIOD_NS;
  return p->ring.wanted < p->start.path_nodes && p->ring.received_ns < needed;
}

enum fivebar_play_reason fivebar_player_start(
  struct fivebar_player * p, const struct fivebar_start * start, uint32_t now_us)
{
  if (!settings_are_good(p))
  {
    return FIVEBAR_BAD_SETTINGS;
  }
  if (
    start->path_nodes < 2u || start->nodes < start->path_nodes || start->length_ns == 0u ||
    p->ring.first != 0u || p->ring.wanted < 2u || p->ring.wanted > start->nodes)
  {
    return FIVEBAR_NO_PLAN;
  }
  p->start = *start;
  p->path_ns = 0u;
  if (is_dry(p))
  {
    return FIVEBAR_NO_PLAN;
  }
  fivebar_plan_seek(&p->ring, 0u, 0u);
  p->heard_us = now_us;
  p->stop_asked = false;
  p->stopped_from_align = false;
  p->along_tail = false;
  p->cycles = 0u;
  p->sent = 0u;
  for (unsigned i = 0u; i < 2u; ++i)
  {
    p->integral[i] = 0.0f;
    p->volts[i] = 0.0f;
    p->astray_us[i] = 0u;
  }
  p->reason = FIVEBAR_NO_REASON;
  p->joint = -1;
  p->value = 0.0f;
  p->limit = 0.0f;
  fivebar_motion_enter(p, FIVEBAR_WAITING);
  return FIVEBAR_NO_REASON;
}

static void keep_cycle(struct fivebar_player * p, const struct fivebar_drive * drive, bool limited)
{
  struct fivebar_cycle * cycle = &p->kept[p->cycles & (FIVEBAR_TELEMETRY_KEPT - 1u)];
  for (unsigned i = 0u; i < 2u; ++i)
  {
    cycle->counts[i] = p->counts[i];
    cycle->output[i] = (int16_t)drive->millivolts[i];
  }
  cycle->state = p->state;
  cycle->flags = (uint8_t)((limited ? 1u : 0u) | (unsigned)p->reason << 1);
  ++p->cycles;
}

void fivebar_player_end(struct fivebar_player * p, uint8_t state, uint8_t reason)
{
  if (!fivebar_player_is_on(p))
  {
    return;
  }
  const struct fivebar_drive off = {false, {0, 0}};
  const bool had_begun = is_driving(p);
  p->reason = p->reason == FIVEBAR_NO_REASON || reason > p->reason ? reason : p->reason;
  fivebar_motion_enter(p, state);
  if (had_begun)
  {
    keep_cycle(p, &off, false);
  }
}

/* The host's wish, its silence and the end of what it has sent are all the same motion. */
static void obey_stop(struct fivebar_player * p, uint32_t now_us)
{
  if (p->state != FIVEBAR_ALIGNING && p->state != FIVEBAR_PLAYING)
  {
    return;
  }
  const bool silent = (uint32_t)(now_us - p->heard_us) >= p->settings[FIVEBAR_SET_HOST_SILENCE];
  const bool dry = p->state == FIVEBAR_PLAYING && is_dry(p);
  if (p->stop_asked || silent || dry)
  {
    p->reason =
      p->stop_asked ? FIVEBAR_ASKED_TO_STOP : (silent ? FIVEBAR_HOST_SILENT : FIVEBAR_STREAM_DRY);
    p->stopped_from_align = p->state == FIVEBAR_ALIGNING;
    fivebar_motion_enter(p, FIVEBAR_STOPPING);
  }
}

static void begin(struct fivebar_player * p, uint32_t now_us)
{
  p->first_us = now_us;
  const float tolerance = fivebar_player_setting(p, FIVEBAR_SET_START_TOLERANCE);
  float worst = 0.0f;
  unsigned joint = 0u;
  for (unsigned i = 0u; i < 2u; ++i)
  {
    const float distance = p->angle[i] - fivebar_motion_start_angle(p, i);
    if (fivebar_magnitude(distance) > fivebar_magnitude(worst))
    {
      worst = distance;
      joint = i;
    }
  }
  if (fivebar_magnitude(worst) <= tolerance)
  {
    fivebar_motion_enter(p, FIVEBAR_PLAYING);
    return;
  }
  if (!p->start.align)
  {
    fivebar_motion_find(p, FIVEBAR_NOT_AT_START, joint, worst, tolerance);
    return;
  }
  const float peak_of_mean = 1.875f; /* largest slope of the quintic */
  const float time =
    peak_of_mean * fivebar_magnitude(worst) / fivebar_player_setting(p, FIVEBAR_SET_ALIGN_SPEED);
  const float bounded = time < 0.1f ? 0.1f : (time > 60.0f ? 60.0f : time);
  p->align_ns = 1000u * (uint64_t)(uint32_t)(bounded * 1e6f + 0.5f);
  p->align_from[0] = p->angle[0];
  p->align_from[1] = p->angle[1];
  p->move_ns = 0u;
  p->settled_ns = 0u;
  fivebar_motion_enter(p, FIVEBAR_ALIGNING);
}

static void watch(struct fivebar_player * p, const struct fivebar_reference * reference)
{
  const float fastest = fivebar_player_setting(p, FIVEBAR_SET_JOINT_SPEED);
  const float band = fivebar_player_setting(p, FIVEBAR_SET_FOLLOWING_BAND);
  for (unsigned i = 0u; i < 2u; ++i)
  {
    const float lowest = fivebar_player_joint(p, i, FIVEBAR_JOINT_LOWEST);
    const float highest = fivebar_player_joint(p, i, FIVEBAR_JOINT_HIGHEST);
    if (p->angle[i] < lowest || p->angle[i] > highest)
    {
      fivebar_motion_find(
        p, FIVEBAR_RANGE, i, p->angle[i], p->angle[i] < lowest ? lowest : highest);
      return;
    }
    if (fivebar_magnitude(p->speed[i]) > fastest)
    {
      fivebar_motion_find(p, FIVEBAR_SPEED, i, p->speed[i], fastest);
      return;
    }
  }
  for (unsigned i = 0u; i < 2u && p->state != FIVEBAR_RELAXING; ++i)
  {
    const float error = reference->phi[i] - p->angle[i];
    const bool astray = !(fivebar_magnitude(error) <= band);
    p->astray_us[i] = astray ? p->astray_us[i] + FIVEBAR_PERIOD_NS / 1000u : 0u;
    if (p->astray_us[i] > p->settings[FIVEBAR_SET_FOLLOWING_WINDOW])
    {
      fivebar_motion_find(p, FIVEBAR_FOLLOWING, i, error, band);
      return;
    }
  }
}

struct fivebar_drive fivebar_player_step(
  struct fivebar_player * p, const int32_t counts[2], uint32_t now_us)
{
  struct fivebar_drive drive = {false, {0, 0}};
  if (p->state == FIVEBAR_WAITING && (uint32_t)(now_us - p->start.time_us) >= 0x80000000u)
  {
    return drive;
  }
  const bool first = p->state == FIVEBAR_WAITING;
  unsigned jumped = 2u;
  fivebar_law_sense(p, counts, first, &jumped);
  if (jumped < 2u)
  {
    fivebar_motion_find(
      p, FIVEBAR_JUMP, jumped, (float)(counts[jumped]),
      fivebar_player_setting(p, FIVEBAR_SET_JUMP));
  }
  else if (first)
  {
    begin(p, now_us);
  }
  else
  {
    fivebar_motion_step_state(p);
  }
  obey_stop(p, now_us);
  bool limited = false;
  if (is_driving(p))
  {
    struct fivebar_reference reference;
    fivebar_motion_make_reference(p, &reference);
    watch(p, &reference);
    if (is_driving(p))
    {
      const float relaxed =
        p->state == FIVEBAR_RELAXING
          ? 1.0f - fivebar_motion_smooth_step(fivebar_motion_share(
                     p->state_ns, fivebar_motion_setting_ns(p, FIVEBAR_SET_RELAX_TIME)))
          : 1.0f;
      if (!fivebar_law_drive(p, &reference, relaxed, &drive, &limited))
      {
        fivebar_motion_find(p, FIVEBAR_NOT_FINITE, 0u, 0.0f, 0.0f);
        drive.millivolts[0] = 0;
        drive.millivolts[1] = 0;
      }
    }
  }
  drive.driving = is_driving(p);
  keep_cycle(p, &drive, limited);
  return drive;
}

float fivebar_player_setting(const struct fivebar_player * player, unsigned word)
{
  return fivebar_float_of(player->settings[word]);
}

float fivebar_player_joint(const struct fivebar_player * player, unsigned joint, unsigned word)
{
  return fivebar_player_setting(player, FIVEBAR_SET_JOINTS + joint * FIVEBAR_JOINT_WORDS + word);
}
