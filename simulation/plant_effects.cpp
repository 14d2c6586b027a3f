// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/plant_effects.hpp"

#include <fmt/core.h>

#include <cmath>

#include "fivebar_control/support/random.hpp"

namespace fivebar_control
{
namespace
{

NumberRule share() { return between(0.0, 0.9, "share"); }

void read_optional(
  const YamlMap & map, const char * key, const NumberRule & rule, std::optional<double> & value)
{
  if (map.has(key))
  {
    value = map.number(key, rule);
  }
}

void require_one_of(const YamlMap & map, const char * one, const char * other)
{
  if (map.has(one) && map.has(other))
  {
    map.fail(other, fmt::format("expected either '{}' or '{}', not both", one, other));
  }
}

void read_drive(const YamlMap & map, PlantEffects & effects)
{
  map.allow_only({"stiffness", "frequency", "damping", "damping_ratio", "gap"});
  require_one_of(map, "stiffness", "frequency");
  require_one_of(map, "damping", "damping_ratio");
  read_optional(map, "stiffness", between(0.1, 1e5, "N m/rad"), effects.stiffness);
  read_optional(map, "frequency", between(1.0, 1000.0, "Hz"), effects.frequency);
  read_optional(map, "damping", not_negative("N m s/rad"), effects.damping);
  read_optional(map, "damping_ratio", between(0.0, 2.0, ""), effects.damping_ratio);
  read_optional(map, "gap", between(0.0, 0.1, "rad"), effects.gap);
  for (const char * key : {"damping", "damping_ratio"})
  {
    if (map.has(key) && !effects.stiffness && !effects.frequency)
    {
      map.fail(key, "expected with 'stiffness' or 'frequency': a rigid drive has no damping");
    }
  }
}

void read_variation(const YamlMap & map, Variation & variation)
{
  map.allow_only({"friction", "supply", "drift", "seed", "run"});
  variation.friction = map.number_or("friction", share(), 0.0);
  variation.supply = map.number_or("supply", share(), 0.0);
  variation.drift = map.number_or("drift", between(0.0, 0.1, "1/s"), 0.0);
  variation.seed = static_cast<std::uint64_t>(map.integer_or("seed", 0, 2147483647, 1));
  variation.run = map.integer_or("run", 0, 1000000, 0);
}

}  // namespace

RunConditions conditions_of(const Variation & variation)
{
  Random random(variation.seed, static_cast<std::uint64_t>(variation.run));
  const auto drawn = [&random](double share) { return random.uniform(-share, share); };
  RunConditions conditions;
  conditions.friction[0] += drawn(variation.friction);
  conditions.friction[1] += drawn(variation.friction);
  conditions.supply += drawn(variation.supply);
  conditions.drift += drawn(variation.drift);
  return conditions;
}

double PlantEffects::encoder_error(double angle, double zero) const
{
  return eccentricity *
         (std::sin(angle + eccentricity_phase) - std::sin(zero + eccentricity_phase));
}

void read_encoder_effects(const YamlMap & map, PlantEffects & effects)
{
  if (map.has("mounted"))
  {
    effects.encoder_on_motor = map.choice("mounted", {"link", "motor"}) == 1;
  }
  effects.eccentricity = map.number_or("eccentricity", between(0.0, 0.1, "rad"), 0.0);
  effects.eccentricity_phase = map.number_or("eccentricity_phase", any_number("rad"), 0.0);
}

void read_friction_effects(const YamlMap & map, PlantEffects & effects)
{
  if (map.has("stribeck") != map.has("stribeck_velocity"))
  {
    map.fail(
      map.has("stribeck") ? "stribeck" : "stribeck_velocity",
      "expected 'stribeck' (N m) and 'stribeck_velocity' (rad/s) together");
  }
  read_optional(map, "stribeck", not_negative("N m"), effects.stribeck);
  read_optional(map, "stribeck_velocity", positive("rad/s"), effects.stribeck_velocity);
}

void read_effects(const YamlMap & map, PlantEffects & effects)
{
  if (const auto drive = map.optional_map("drive"))
  {
    read_drive(*drive, effects);
  }
  if (const auto cogging = map.optional_map("cogging"))
  {
    cogging->allow_only({"amplitude", "periods", "phase"});
    effects.cogging.amplitude = cogging->number("amplitude", not_negative("N m"));
    effects.cogging.periods = cogging->number("periods", between(0.0, 1e4, "per link turn"));
    effects.cogging.phase = cogging->number_or("phase", any_number("rad"), 0.0);
  }
  if (const auto amplifier = map.optional_map("amplifier"))
  {
    amplifier->allow_only({"lag", "dead_band"});
    read_optional(*amplifier, "lag", between(0.0, 0.1, "s"), effects.lag);
    read_optional(*amplifier, "dead_band", between(0.0, 10.0, "V"), effects.dead_band);
  }
  if (const auto variation = map.optional_map("variation"))
  {
    read_variation(*variation, effects.variation);
  }
}

}  // namespace fivebar_control
