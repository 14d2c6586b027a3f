/* SPDX-License-Identifier: Apache-2.0 */
#include "firmware/law.h"

#include "firmware/wire.h"

static const float period = 1e-9f * (float)FIVEBAR_PERIOD_NS;

static float clamped(float x, float lowest, float highest)
{
  return x < lowest ? lowest : (x > highest ? highest : x);
}

static int32_t apart(int32_t a, int32_t b) { return fivebar_signed_32((uint32_t)a - (uint32_t)b); }

static void estimate_speed(struct fivebar_player * p, unsigned i, float moved)
{
  const float gain = fivebar_player_setting(p, FIVEBAR_SET_SPEED_GAIN);
  if ((p->settings[FIVEBAR_SET_FLAGS] & FIVEBAR_PLAY_OBSERVER) != 0u)
  {
    const float predicted = p->observed[i] + period * p->speed[i];
    const float error = p->angle[i] - predicted;
    p->observed[i] = predicted + fivebar_player_setting(p, FIVEBAR_SET_POSITION_GAIN) * error;
    p->speed[i] += gain * error;
  }
  else
  {
    p->speed[i] += gain * (moved / period - p->speed[i]);
  }
  if (fivebar_magnitude(p->speed[i]) < 1e-12f)
  {
    p->speed[i] = 0.0f; /* denormal numbers are slow where the processor does not know them */
  }
}

void fivebar_law_sense(
  struct fivebar_player * p, const int32_t counts[2], bool first, unsigned * jumped)
{
  for (unsigned i = 0u; i < 2u; ++i)
  {
    const float per_count = fivebar_player_joint(p, i, FIVEBAR_JOINT_PER_COUNT);
    const unsigned origin_word = FIVEBAR_SET_JOINTS + i * FIVEBAR_JOINT_WORDS;
    const int32_t origin = fivebar_signed_32(p->settings[origin_word]);
    const float moved = per_count * (float)apart(counts[i], p->counts[i]);
    p->counts[i] = counts[i];
    p->angle[i] =
      fivebar_player_joint(p, i, FIVEBAR_JOINT_ANGLE) + per_count * (float)apart(counts[i], origin);
    if (first)
    {
      p->observed[i] = p->angle[i];
      p->speed[i] = 0.0f;
      continue;
    }
    if (!(fivebar_magnitude(moved) <= fivebar_player_setting(p, FIVEBAR_SET_JUMP)))
    {
      *jumped = i;
    }
    estimate_speed(p, i, moved);
  }
}

/* Volts at the output for volts at the motor. */
static int32_t output_of(const struct fivebar_player * p, unsigned i, float volts)
{
  const float dead_band = fivebar_player_joint(p, i, FIVEBAR_JOINT_DEAD_BAND);
  const float slope = fivebar_player_joint(p, i, FIVEBAR_JOINT_DEAD_BAND_SLOPE);
  const float most = fivebar_player_setting(p, FIVEBAR_SET_VOLTAGE_LIMIT);
  const float at_motor =
    clamped(volts + dead_band * clamped(slope * volts, -1.0f, 1.0f), -most, most);
  const float limit = fivebar_player_joint(p, i, FIVEBAR_JOINT_OUTPUT_LIMIT);
  const float output =
    clamped(fivebar_player_joint(p, i, FIVEBAR_JOINT_OUTPUT_GAIN) * at_motor, -limit, limit);
  const float millivolts = clamped(1e3f * output, -32767.0f, 32767.0f);
  return (int32_t)(millivolts < 0.0f ? millivolts - 0.5f : millivolts + 0.5f);
}

bool fivebar_law_drive(
  struct fivebar_player * p, const struct fivebar_reference * reference, float relaxed,
  struct fivebar_drive * drive, bool * limited)
{
  const float kp = fivebar_player_setting(p, FIVEBAR_SET_KP);
  const float kd = fivebar_player_setting(p, FIVEBAR_SET_KD);
  const float ki = fivebar_player_setting(p, FIVEBAR_SET_KI);
  const float most = fivebar_player_setting(p, FIVEBAR_SET_VOLTAGE_LIMIT);
  const float change = fivebar_player_setting(p, FIVEBAR_SET_VOLTAGE_CHANGE);
  const float integral_limit = fivebar_player_setting(p, FIVEBAR_SET_INTEGRAL_LIMIT);
  const bool feedforward = (p->settings[FIVEBAR_SET_FLAGS] & FIVEBAR_PLAY_FEEDFORWARD) != 0u;
  for (unsigned i = 0u; i < 2u; ++i)
  {
    const float error = reference->phi[i] - p->angle[i];
    const float feedback = kp * error + kd * (reference->speed[i] - p->speed[i]) + p->integral[i];
    const float sum = relaxed * (feedback + (feedforward ? reference->volts[i] : 0.0f));
    if (!fivebar_is_finite(sum))
    {
      return false;
    }
    p->volts[i] = clamped(clamped(sum, p->volts[i] - change, p->volts[i] + change), -most, most);
    const float excess = sum - p->volts[i];
    *limited = *limited || excess != 0.0f;
    if (excess * error <= 0.0f)
    {
      p->integral[i] =
        clamped(p->integral[i] + ki * error * period, -integral_limit, integral_limit);
    }
    drive->millivolts[i] = output_of(p, i, p->volts[i]);
  }
  return true;
}
