// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/settings.hpp"

namespace fivebar_control
{

const std::vector<Reason> & reasons_to_switch_off()
{
  static const std::vector<Reason> reasons{Reason::late_cycles,        Reason::following_error,
                                           Reason::encoder_frozen,     Reason::encoder_jump,
                                           Reason::implausible_motion, Reason::implausible_scale,
                                           Reason::saturation,         Reason::chatter,
                                           Reason::motor_overload};
  return reasons;
}

bool switch_off(const std::vector<std::string> & names, GuardSettings & settings)
{
  bool all = true;
  for (const std::string & name : names)
  {
    bool found = false;
    for (const Reason reason : reasons_to_switch_off())
    {
      if (name == to_string(reason))
      {
        settings.switch_off(reason);
        found = true;
      }
    }
    all = all && found;
  }
  return all;
}

void widen_following(GuardSettings & settings)
{
  settings.following_band = 0.3;
  settings.following_window = 0.1;
}

std::vector<std::string> switched_off_names(const GuardSettings & settings)
{
  std::vector<std::string> names;
  for (const Reason reason : reasons_to_switch_off())
  {
    if (!settings.is_on(reason))
    {
      names.emplace_back(to_string(reason));
    }
  }
  return names;
}

}  // namespace fivebar_control
