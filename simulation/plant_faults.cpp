// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/plant_faults.hpp"

#include <algorithm>

namespace fivebar_control
{
namespace
{

using PerJoint = std::array<bool, 2>;

bool either(const PerJoint & joints) { return joints[0] || joints[1]; }

/// Joints by their names in the robot: 1, 4 or both.
PerJoint joints_at(const YamlMap & map, const std::string & key)
{
  switch (map.choice(key, {"1", "4", "both"}))
  {
    case 0:
      return {true, false};
    case 1:
      return {false, true};
    default:
      return {true, true};
  }
}

NumberRule moment() { return between(0.0, 3600.0, "s"); }

}  // namespace

bool PlantFaults::any_encoder() const
{
  const EncoderFaults & e = encoder;
  return either(wiring.encoder_inverted) || wiring.encoders_swapped || either(e.stuck) ||
         either(e.toggle) || e.counts_factor != std::array{1.0, 1.0} ||
         e.jump != std::array{0.0, 0.0};
}

bool PlantFaults::any_motor() const
{
  return either(wiring.motor_inverted) || wiring.motors_swapped || either(belt_lost) || coasts;
}

Wiring read_wiring(const YamlMap & map)
{
  map.allow_only({"motor_1", "motor_4", "encoder_1", "encoder_4", "motors", "encoders"});
  const auto is = [&map](const char * key, const char * wrong, const char * right) {
    return map.has(key) && map.choice(key, {wrong, right}) == 0;
  };
  Wiring wiring;
  wiring.motor_inverted = {is("motor_1", "inverted", "right"), is("motor_4", "inverted", "right")};
  wiring.encoder_inverted = {
    is("encoder_1", "inverted", "right"), is("encoder_4", "inverted", "right")};
  wiring.motors_swapped = is("motors", "swapped", "right");
  wiring.encoders_swapped = is("encoders", "swapped", "right");
  return wiring;
}

EncoderFaults read_encoder_faults(const YamlMap & map)
{
  EncoderFaults faults;
  faults.stuck = map.has("stuck") ? joints_at(map, "stuck") : PerJoint{};
  faults.toggle = map.has("toggle") ? joints_at(map, "toggle") : PerJoint{};
  const PerJoint concerned = map.has("joint") ? joints_at(map, "joint") : PerJoint{true, true};
  const double factor = map.number_or("counts_factor", between(0.01, 100.0, "factor"), 1.0);
  const double jump = map.number_or("jump", between(-10.0, 10.0, "rad"), 0.0);
  if (map.has("joint") && !map.has("counts_factor") && !map.has("jump"))
  {
    map.fail("joint", "only counts_factor and jump need it, and neither is given");
  }
  for (std::size_t i = 0; i < 2; ++i)
  {
    faults.counts_factor[i] = concerned[i] ? factor : 1.0;
    faults.jump[i] = concerned[i] ? jump : 0.0;
  }
  faults.at = map.number_or("at", moment(), 0.0);
  return faults;
}

void read_belt(const YamlMap & map, PlantFaults & faults)
{
  map.allow_only({"lost", "at"});
  faults.belt_lost = joints_at(map, "lost");
  faults.belt_lost_at = map.number_or("at", moment(), 0.0);
}

}  // namespace fivebar_control
