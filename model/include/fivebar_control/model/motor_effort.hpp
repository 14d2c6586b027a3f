// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/model/parameters.hpp"

namespace fivebar_control
{

/// A geared motor as seen from its link: torque = torque_gain * volts - damping * speed, and the
/// link carries the rotor's inertia (Maciąg, eq. 5.6, with the gear ratio applied).
struct MotorEffort
{
  double torque_gain = 0.0;  ///< N m/V
  double damping = 0.0;      ///< N m s/rad, back-EMF and rotor friction
  double inertia = 0.0;      ///< kg m², of the rotor at the link ("armature")

  double torque(double volts, double speed) const { return torque_gain * volts - damping * speed; }
  /// The volts that give this torque at this speed.
  double voltage(double torque, double speed) const
  {
    return (torque + damping * speed) / torque_gain;
  }
};

inline MotorEffort motor_effort(const Motor<double> & m)
{
  const double ratio_squared = m.gear_ratio * m.gear_ratio;
  return {
    m.gear_ratio * m.torque_constant / m.resistance,
    ratio_squared * (m.torque_constant * m.back_emf_constant / m.resistance + m.damping),
    ratio_squared * m.rotor_inertia};
}

}  // namespace fivebar_control
