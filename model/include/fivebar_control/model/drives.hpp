// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>

namespace fivebar_control
{

/// What a drive has beyond a rigid gear, dry friction and an amplifier that gives what it is asked
/// for (docs/model.md, "Drives"); zero: nothing of it. Angles and torques are the link's.
struct Drive
{
  double stiffness = 0.0;          ///< N m/rad between motor and link; 0: rigid
  double damping = 0.0;            ///< N m s/rad of the elastic drive
  double gap = 0.0;                ///< rad, backlash between motor and link
  double stribeck = 0.0;           ///< N m by which dry friction at rest exceeds the sliding one
  double stribeck_velocity = 0.0;  ///< rad/s over which it falls to it
  double lag = 0.0;                ///< s, of the amplifier
  double dead_band = 0.0;          ///< V that the amplifier swallows either way
  bool encoder_on_motor = false;   ///< in front of gap and elasticity; otherwise on the link

  bool operator==(const Drive &) const = default;
  /// Motor and link move as one.
  bool is_rigid() const { return stiffness == 0.0 && gap == 0.0; }
};
using Drives = std::array<Drive, 2>;  ///< of driven links 1 and 4

/// Calls visit(name, value) for each number of a drive, in a fixed order.
template <class DriveType, class Visit>
void visit_drive(DriveType & drive, Visit && visit)
{
  visit("stiffness", drive.stiffness);
  visit("damping", drive.damping);
  visit("gap", drive.gap);
  visit("stribeck", drive.stribeck);
  visit("stribeck_velocity", drive.stribeck_velocity);
  visit("lag", drive.lag);
  visit("dead_band", drive.dead_band);
}

/// The amplifier of one motor: a dead band, then a lag of first order.
class Amplifier
{
public:
  Amplifier() = default;
  explicit Amplifier(const Drive & drive) : lag_(drive.lag), dead_band_(drive.dead_band) {}

  bool is_ideal() const { return lag_ == 0.0 && dead_band_ == 0.0; }
  /// V in the end for V asked: u - sign(u) dead_band, zero inside.
  double settled(double volts) const
  {
    return std::abs(volts) <= dead_band_ ? 0.0 : volts - std::copysign(dead_band_, volts);
  }
  /// V asked for so that it settles at `volts`.
  double asked_for(double volts) const
  {
    return volts == 0.0 ? 0.0 : volts + std::copysign(dead_band_, volts);
  }
  /// Lets `duration` seconds pass towards `target` volts; the mean of the output meanwhile.
  double follow(double target, double duration)
  {
    if (lag_ == 0.0)
    {
      output_ = target;
      return target;
    }
    const double left = std::exp(-duration / lag_);
    const double mean = target + (output_ - target) * (1.0 - left) * lag_ / duration;
    output_ = target + (output_ - target) * left;
    return mean;
  }
  double output() const { return output_; }
  double lag() const { return lag_; }
  void reset() { output_ = 0.0; }

private:
  double lag_ = 0.0;        // s
  double dead_band_ = 0.0;  // V
  double output_ = 0.0;     // V
};

}  // namespace fivebar_control
