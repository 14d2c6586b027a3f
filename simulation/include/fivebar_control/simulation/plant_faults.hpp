// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control
{

/// How the cables of a plant are wrong. Index 0 is joint 1, index 1 joint 4.
struct Wiring
{
  std::array<bool, 2> motor_inverted{};
  std::array<bool, 2> encoder_inverted{};
  bool motors_swapped = false;    ///< the first channel drives motor 4, the second motor 1
  bool encoders_swapped = false;  ///< the first channel reads encoder 4, the second encoder 1
};

/// What is wrong with the encoders from `at` seconds after the motors were first driven; only
/// counts_factor is wrong from the beginning.
struct EncoderFaults
{
  std::array<bool, 2> stuck{};   ///< shows the same count for ever
  std::array<bool, 2> toggle{};  ///< the same, but the last bit flickers with every reading
  std::array<double, 2> counts_factor{1.0, 1.0};  ///< real counts per count that should be
  std::array<double, 2> jump{};                   ///< rad added at once
  double at = 0.0;                                ///< s
};

/// All that is broken at a plant; nothing by default.
struct PlantFaults
{
  Wiring wiring;
  EncoderFaults encoder;
  std::array<bool, 2> belt_lost{};  ///< the motor turns, the link does not feel it
  double belt_lost_at = 0.0;        ///< s after the motors were first driven
  bool coasts = false;              ///< the amplifier opens at zero volts, it does not brake

  bool any_encoder() const;
  bool any_motor() const;
};

/// The key `wiring` of a plant file.
Wiring read_wiring(const YamlMap & map);
/// The keys of `encoder` in encoder_fault_keys, and no others.
EncoderFaults read_encoder_faults(const YamlMap & map);
inline constexpr const char * encoder_fault_keys[] = {"stuck", "toggle", "counts_factor",
                                                      "jump",  "joint",  "at"};
/// The key `belt` of a plant file.
void read_belt(const YamlMap & map, PlantFaults & faults);

}  // namespace fivebar_control
