// SPDX-License-Identifier: Apache-2.0
#include "incident.hpp"

namespace fivebar_control::soak
{

const char * to_string(Trouble trouble)
{
  switch (trouble)
  {
    case Trouble::read_failure:
      return "read_failure";
    case Trouble::write_failure:
      return "write_failure";
    case Trouble::stale_sample:
      return "stale_sample";
    case Trouble::frozen_encoder:
      return "frozen_encoder";
    case Trouble::encoder_jump:
      return "encoder_jump";
    case Trouble::encoder_drift:
      return "encoder_drift";
    case Trouble::device_fault:
      return "device_fault";
    case Trouble::late_cycle:
      return "late_cycle";
    case Trouble::long_silence:
      return "long_silence";
    case Trouble::interrupt:
      return "interrupt";
    case Trouble::voltage_step:
      return "voltage_step";
    case Trouble::supply_drop:
      return "supply_drop";
  }
  return "unknown";
}

std::vector<Incident> random_incidents(Random & random, std::int64_t cycles)
{
  // Short ones are to be survived, long ones are not.
  const auto length = [&](Trouble trouble) {
    switch (trouble)
    {
      case Trouble::read_failure:
      case Trouble::write_failure:
      case Trouble::stale_sample:
      case Trouble::late_cycle:
        return random.chance(0.7) ? random.integer(1, 2) : random.integer(3, 8);
      case Trouble::frozen_encoder:
      case Trouble::voltage_step:
      case Trouble::supply_drop:
        return random.integer(1, 400);
      case Trouble::encoder_drift:
        return random.integer(1, 1500);
      case Trouble::interrupt:
        return random.chance(0.5) ? 1 : random.integer(2, 1000);
      default:
        return 1;
    }
  };
  std::vector<Incident> incidents;
  for (int i = random.integer(1, 5); i > 0; --i)
  {
    const auto trouble =
      static_cast<Trouble>(random.integer(0, static_cast<int>(trouble_count) - 1));
    // Hard ends are common enough when every other incident survives.
    if (
      (trouble == Trouble::device_fault || trouble == Trouble::long_silence) && random.chance(0.7))
    {
      continue;
    }
    incidents.push_back(
      {trouble, random.integer(0, static_cast<int>(cycles)), length(trouble),
       static_cast<std::size_t>(random.integer(0, 1)), random.uniform(-1.0, 1.0)});
  }
  return incidents;
}

}  // namespace fivebar_control::soak
