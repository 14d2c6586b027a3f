// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/guard_reach.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{

void require_guard_can_act(
  const GuardSettings & settings, const RobotModel & robot, const std::string & name)
{
  const GuardSettings usual;
  const double volts = robot.limits().voltage;
  const auto & motors = robot.physics().motors;
  const double amperes = volts / std::min(motors[0].resistance, motors[1].resistance);
  struct Reach
  {
    const char * key;
    const char * unit;
    Reason reason;
    double value, usual, most;
  };
  for (const Reach & reach :
       {Reach{
          "frozen_voltage", "V", Reason::encoder_frozen, settings.frozen_voltage,
          usual.frozen_voltage, volts},
        // A motor that is inverted misses twice its volts.
        Reach{
          "unexplained_voltage", "V", Reason::implausible_motion, settings.unexplained_voltage,
          usual.unexplained_voltage, 2.0 * volts * (1.0 - settings.unexplained_share)},
        Reach{
          "scale_voltage", "V", Reason::implausible_scale, settings.scale_voltage,
          usual.scale_voltage, volts},
        Reach{
          "motor_current", "A", Reason::motor_overload, settings.motor_current, usual.motor_current,
          amperes}})
  {
    if (reach.value > reach.usual && reach.value >= reach.most && settings.is_on(reach.reason))
    {
      throw InputError(
        {name},
        fmt::format(
          "guard.{}: {:g} {} would switch {} off without a word: within {:g} V robot '{}' never "
          "comes to more than {:.4g} {}. Lower it, or say so: 'switched_off: [{}]'",
          reach.key, reach.value, reach.unit, to_string(reach.reason), volts,
          robot.parameters().name, reach.most, reach.unit, to_string(reach.reason)));
    }
  }
}

}  // namespace fivebar_control
