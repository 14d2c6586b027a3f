// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fivebar_control
{

/// Why the controller refused to start or fell into the fault state. docs/operation.md says what to
/// do about each.
enum class Reason
{
  none,
  // Refusals: the state stays as it was.
  no_plan,         ///< start without a plan
  not_idle,        ///< start while something runs, or while a fault is latched
  no_measurement,  ///< start before a first good measurement
  not_at_start,    ///< further from the plan's start than allowed, and no alignment was asked for
  // Faults: zero volts in the same cycle, latched until reset.
  late_cycles,      ///< too many late cycles in a row
  following_error,  ///< outside its band for longer than its window
  joint_range,
  joint_speed,
  parallel_singularity,  ///< links 2 and 3 too near to aligned, or the linkage cannot close
  serial_singularity,    ///< a driven link too near to aligned with its distal link
  encoder_frozen,        ///< not one count of change although the motor is driven
  encoder_jump,          ///< faster than any motion of the robot
  encoder_not_finite,
  read_failed,         ///< too many failed or stale reads in a row
  write_failed,        ///< too many failed writes in a row
  device_fault,        ///< the motor board reports a fault or its watchdog has tripped
  alignment_timeout,   ///< did not settle at the plan's start
  output_not_finite,   ///< the control law produced no number
  implausible_motion,  ///< the motion is not the one that the volts should cause
  implausible_scale,   ///< right in sign, but far larger or smaller than it should be
  saturation,          ///< the law asks for more than the voltage limit, without a break
  chatter,             ///< the volts go to and fro
  motor_overload,      ///< the current heats a motor beyond what it stands
  device_disarmed,     ///< the motor board was disarmed in the middle of a run
  host_late,           ///< a board that plays by itself was left alone, and stopped by itself
};

inline constexpr int reason_count = static_cast<int>(Reason::host_late) + 1;

/// What was found, with the numbers that caused it.
struct Finding
{
  Reason reason = Reason::none;
  int joint = -1;      ///< 0: driven link 1, 1: driven link 4, -1: neither
  double value = 0.0;  ///< in the unit of the limit
  double limit = 0.0;

  explicit operator bool() const { return reason != Reason::none; }
};

constexpr bool is_fault(Reason reason) { return reason >= Reason::late_cycles; }
/// Faults whose cause is the connection to the motors rather than the motion.
constexpr bool is_hardware_fault(Reason reason)
{
  return reason == Reason::read_failed || reason == Reason::write_failed ||
         reason == Reason::device_fault || reason == Reason::device_disarmed;
}

/// "following_error" and the like; stable, part of the JSON output.
const char * to_string(Reason reason);
/// A sentence for the user with value, limit and unit. Not for the real-time path.
std::string describe(const Finding & finding);

}  // namespace fivebar_control
