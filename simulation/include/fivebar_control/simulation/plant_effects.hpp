// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "fivebar_control/model/drive_dynamics.hpp"
#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control
{

/// How a plant differs from run to run. Each run draws its own.
struct Variation
{
  double friction = 0.0;  ///< share, +-: of all friction, for each joint
  double supply = 0.0;    ///< share, +-: of the volts at both motors
  double drift = 0.0;     ///< share per second, +-: by which these change during the run
  std::uint64_t seed = 1;
  int run = 0;  ///< which run it is
};

/// What the variation has drawn for one run.
struct RunConditions
{
  Eigen::Vector2d friction = Eigen::Vector2d::Ones();  ///< factors
  double supply = 1.0;                                 ///< factor
  double drift = 0.0;                                  ///< 1/s
};
RunConditions conditions_of(const Variation & variation);

/// What a real robot has and the model that is planned with has not; nothing by default. Numbers
/// that are not given are those of the robot file's `drives`.
struct PlantEffects
{
  std::optional<double> stiffness;  ///< N m/rad of both drives; or
  std::optional<double> frequency;  ///< Hz at which the links swing at home, motors held
  std::optional<double> damping;    ///< N m s/rad; or
  std::optional<double> damping_ratio;
  std::optional<double> gap;  ///< rad
  std::optional<double> stribeck, stribeck_velocity;
  std::optional<double> lag, dead_band;
  Cogging cogging;                       ///< of both motors
  std::optional<bool> encoder_on_motor;  ///< in front of the gap and of the elastic drive
  double eccentricity = 0.0;             ///< rad, amplitude of an encoder's error over a turn
  double eccentricity_phase = 0.0;       ///< rad
  Variation variation;

  /// rad that an encoder at `angle` shows too much; none at `zero`, where its zero was set.
  double encoder_error(double angle, double zero) const;
};

inline constexpr const char * encoder_effect_keys[] = {
  "mounted", "eccentricity", "eccentricity_phase"};
inline constexpr const char * friction_effect_keys[] = {"stribeck", "stribeck_velocity"};

/// The keys of `encoder` and `friction` named above, and no others.
void read_encoder_effects(const YamlMap & map, PlantEffects & effects);
void read_friction_effects(const YamlMap & map, PlantEffects & effects);
/// The keys `drive`, `cogging`, `amplifier` and `variation` of a plant file.
inline constexpr const char * effect_keys[] = {"drive", "cogging", "amplifier", "variation"};
void read_effects(const YamlMap & map, PlantEffects & effects);

}  // namespace fivebar_control
