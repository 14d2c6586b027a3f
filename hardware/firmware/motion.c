/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/motion.h"

#include "firmware/law.h"

uint64_t fivebar_motion_setting_ns(const struct fivebar_player * p, unsigned word)
{
  return 1000u * (uint64_t)p->settings[word];
}

float fivebar_motion_share(uint64_t part_ns, uint64_t whole_ns)
{
  return part_ns >= whole_ns ? 1.0f : (float)(uint32_t)(part_ns / 64u) / (float)(whole_ns / 64u);
}

float fivebar_motion_smooth_step(float s) { return s * s * (3.0f - 2.0f * s); }

static float seconds(uint64_t ns) { return 1e-6f * (float)(uint32_t)(ns / 1000u); }

void fivebar_motion_enter(struct fivebar_player * p, uint8_t state)
{
  p->state = state;
  p->state_ns = 0u;
}

void fivebar_motion_find(
  struct fivebar_player * p, enum fivebar_play_reason reason, unsigned joint, float value,
  float limit)
{
  p->reason = (uint8_t)reason;
  p->joint = (int8_t)joint;
  p->value = value;
  p->limit = limit;
  fivebar_motion_enter(p, reason == FIVEBAR_NOT_AT_START ? FIVEBAR_IDLE : FIVEBAR_FAULT);
}

static void path_reference(
  struct fivebar_player * p, uint64_t time_ns, uint32_t end, struct fivebar_reference * reference)
{
  fivebar_plan_at(
    &p->ring, time_ns, end, fivebar_player_setting(p, FIVEBAR_SET_VOLTS_UNIT),
    fivebar_player_setting(p, FIVEBAR_SET_SPEED_UNIT), reference);
}

float fivebar_motion_start_angle(const struct fivebar_player * p, unsigned joint)
{
  return FIVEBAR_ANGLE_UNIT * (float)fivebar_plan_node(&p->ring, 0u)->phi[joint];
}

static float stop_rate(const struct fivebar_player * p)
{
  return 1.0f - fivebar_motion_smooth_step(fivebar_motion_share(
                  p->state_ns, fivebar_motion_setting_ns(p, FIVEBAR_SET_STOP_TIME)));
}

/* At rest at both ends: the quintic of least jerk. */
static void align_reference(const struct fivebar_player * p, struct fivebar_reference * reference)
{
  const float s = fivebar_motion_share(p->move_ns, p->align_ns);
  const float duration = seconds(p->align_ns);
  for (unsigned i = 0u; i < 2u; ++i)
  {
    const float distance = fivebar_motion_start_angle(p, i) - p->align_from[i];
    reference->volts[i] = 0.0f;
    reference->hold[i] = 0.0f;
    reference->phi[i] = p->align_from[i] + s * s * s * (10.0f + s * (6.0f * s - 15.0f)) * distance;
    reference->speed[i] = 30.0f * s * s * (1.0f - s) * (1.0f - s) / duration * distance;
  }
}

/* Comes to rest where it was, by a cubic. The volts of that are in the nodes behind the path. */
static void settle_reference(struct fivebar_player * p, struct fivebar_reference * reference)
{
  const uint64_t settle_ns = fivebar_motion_setting_ns(p, FIVEBAR_SET_SETTLE_TIME);
  const uint64_t time_ns =
    p->state == FIVEBAR_RELAXING || p->state_ns > settle_ns ? settle_ns : p->state_ns;
  const float s = fivebar_motion_share(time_ns, settle_ns);
  struct fivebar_reference tail = p->settle_from;
  if (p->along_tail)
  {
    path_reference(p, time_ns, p->start.nodes, &tail);
  }
  for (unsigned i = 0u; i < 2u; ++i)
  {
    const float speed = p->settle_from.speed[i];
    reference->phi[i] =
      p->settle_from.phi[i] + seconds(settle_ns) * s * (1.0f - s) * (1.0f - s) * speed;
    reference->speed[i] = (1.0f - s) * (1.0f - 3.0f * s) * speed;
    reference->volts[i] = p->along_tail ? tail.volts[i] : p->settle_from.hold[i];
    reference->hold[i] = tail.hold[i];
  }
}

void fivebar_motion_make_reference(struct fivebar_player * p, struct fivebar_reference * reference)
{
  if (p->state == FIVEBAR_HOLDING || p->state == FIVEBAR_RELAXING)
  {
    settle_reference(p, reference);
    return;
  }
  const bool stopping = p->state == FIVEBAR_STOPPING;
  if (p->state == FIVEBAR_ALIGNING || (stopping && p->stopped_from_align))
  {
    align_reference(p, reference);
  }
  else
  {
    path_reference(p, p->path_ns, p->start.path_nodes, reference);
  }
  if (stopping)
  {
    const float rate = stop_rate(p);
    for (unsigned i = 0u; i < 2u; ++i)
    {
      reference->speed[i] *= rate;
      reference->volts[i] *= rate;
    }
  }
}

static void hold_from_here(struct fivebar_player * p, bool path_ended)
{
  fivebar_motion_make_reference(p, &p->settle_from);
  p->along_tail = path_ended && p->ring.wanted > p->start.path_nodes;
  if (p->along_tail)
  {
    fivebar_plan_seek(&p->ring, p->start.path_nodes, 0u);
  }
  fivebar_motion_enter(p, FIVEBAR_HOLDING);
}

static bool path_is_over(const struct fivebar_player * p)
{
  return p->path_ns > p->start.length_ns;
}

static void step_alignment(struct fivebar_player * p)
{
  p->move_ns += FIVEBAR_PERIOD_NS;
  if (p->state_ns < p->align_ns)
  {
    return;
  }
  const float tolerance = fivebar_player_setting(p, FIVEBAR_SET_START_TOLERANCE);
  const float first = fivebar_magnitude(p->angle[0] - fivebar_motion_start_angle(p, 0u));
  const float second = fivebar_magnitude(p->angle[1] - fivebar_motion_start_angle(p, 1u));
  const unsigned worst = first >= second ? 0u : 1u;
  const float distance = worst == 0u ? first : second;
  p->settled_ns = distance <= tolerance ? p->settled_ns + FIVEBAR_PERIOD_NS : 0u;
  if (p->settled_ns >= fivebar_motion_setting_ns(p, FIVEBAR_SET_ALIGN_SETTLE))
  {
    fivebar_motion_enter(p, FIVEBAR_PLAYING);
  }
  else if (p->state_ns > p->align_ns + fivebar_motion_setting_ns(p, FIVEBAR_SET_ALIGN_TIMEOUT))
  {
    fivebar_motion_find(p, FIVEBAR_ALIGN_TIMEOUT, worst, distance, tolerance);
  }
}

static void step_stop(struct fivebar_player * p)
{
  const uint64_t along = (uint64_t)(stop_rate(p) * (float)FIVEBAR_PERIOD_NS + 0.5f);
  if (p->stopped_from_align)
  {
    p->move_ns += along;
  }
  else
  {
    p->path_ns += along;
  }
  const bool over = !p->stopped_from_align && path_is_over(p);
  if (over || p->state_ns >= fivebar_motion_setting_ns(p, FIVEBAR_SET_STOP_TIME))
  {
    hold_from_here(p, false);
  }
}

void fivebar_motion_step_state(struct fivebar_player * p)
{
  p->state_ns += FIVEBAR_PERIOD_NS;
  switch (p->state)
  {
    case FIVEBAR_ALIGNING:
      step_alignment(p);
      break;
    case FIVEBAR_PLAYING:
      p->path_ns += FIVEBAR_PERIOD_NS;
      if (path_is_over(p))
      {
        hold_from_here(p, true);
      }
      break;
    case FIVEBAR_STOPPING:
      step_stop(p);
      break;
    case FIVEBAR_HOLDING:
      if (
        p->state_ns >= fivebar_motion_setting_ns(p, FIVEBAR_SET_SETTLE_TIME) +
                         fivebar_motion_setting_ns(p, FIVEBAR_SET_HOLD_TIME))
      {
        fivebar_motion_enter(p, FIVEBAR_RELAXING);
      }
      break;
    case FIVEBAR_RELAXING: {
      const float least = fivebar_player_setting(p, FIVEBAR_SET_VOLTAGE_CHANGE);
      if (
        p->state_ns >= fivebar_motion_setting_ns(p, FIVEBAR_SET_RELAX_TIME) &&
        fivebar_magnitude(p->volts[0]) <= least && fivebar_magnitude(p->volts[1]) <= least)
      {
        fivebar_motion_enter(p, FIVEBAR_IDLE);
      }
      break;
    }
    default:
      break;
  }
}
