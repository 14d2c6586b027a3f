// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fivebar_control/controller/finding.hpp"

namespace fivebar_control
{

/// The manual switch of the published block diagram (Maciąg, fig. 7.6), and open loop.
enum class ControlMode
{
  feedforward_and_feedback,
  feedback_only,
  feedforward_only,
};

const char * to_string(ControlMode mode);

/// How the feedback is made while a plan is playing; everywhere else it is PD.
enum class FeedbackMethod
{
  pd,
  tvlqr,  ///< gains along the plan, from its own robot (docs/control.md)
  mpc,    ///< the same within the voltage limit, looking ahead over some cycles
};

/// As the controller file says it.
const char * to_string(FeedbackMethod method);

struct FeedbackGains
{
  double kp = 22.7;             ///< V/rad
  double kd = 0.43;             ///< V s/rad
  double ki = 0.0;              ///< V/(rad s)
  double integral_limit = 1.0;  ///< V, of the integral's share
  FeedbackMethod method = FeedbackMethod::pd;
};

enum class VelocityMethod
{
  filtered_difference,  ///< difference of angles through a first-order low-pass
  tracking_observer,    ///< second-order, critically damped
  /// Along a plan the robot's own equations, with the input disturbance; elsewhere the difference.
  kalman,
};

/// As the controller file says it.
const char * to_string(VelocityMethod method);

struct VelocitySettings
{
  VelocityMethod method = VelocityMethod::filtered_difference;
  double cutoff = 50.0;  ///< Hz, of the low-pass, or bandwidth of the observer

  bool operator==(const VelocitySettings &) const = default;
};

struct StartSettings
{
  double tolerance = 0.02;         ///< rad, distance from the plan's start that needs no alignment
  double alignment_speed = 1.0;    ///< rad/s, peak of the alignment move
  double settle_time = 0.05;       ///< s within the tolerance before the plan starts
  double alignment_timeout = 2.0;  ///< s after the move within which it must settle

  bool operator==(const StartSettings &) const = default;
};

struct EndSettings
{
  double stop_time = 0.3;    ///< s in which a requested stop brings the plan's time to rest
  double settle_time = 0.2;  ///< s in which the reference comes to rest where it ended
  double hold_time = 0.5;    ///< s
  double relax_time = 0.3;   ///< s in which the holding volts fade out

  bool operator==(const EndSettings &) const = default;
};

/// Windows and bands of the guard. Limits of the robot itself come with the robot's file.
struct GuardSettings
{
  int late_cycles_in_a_row = 5;
  double following_band = 0.12;      ///< rad
  double following_window = 0.02;    ///< s
  double frozen_voltage = 1.5;       ///< V at which an encoder must move
  double frozen_window = 0.05;       ///< s
  double jump_speed = 100.0;         ///< rad/s, faster is no motion but a broken encoder
  int failures_in_a_row = 3;         ///< of reads or writes
  double jump_distance = 0.04;       ///< rad between a measurement and what the model predicts
  double unexplained_voltage = 0.6;  ///< V of motion that the model does not explain, and ...
  double unexplained_share = 0.35;   ///< ... this share of the volts, for longer than ...
  double unexplained_window = 0.01;  ///< ... s
  double scale_ratio = 1.5;          ///< volts of the motion to volts applied, or the other way
  double scale_voltage = 0.3;        ///< V of friction that the model may not know
  double scale_window = 0.15;        ///< s, time constant of the averages
  double saturation_window = 0.5;    ///< s without a break beyond the voltage limit
  double chatter_voltage = 5.0;      ///< V to and fro that count as a reversal
  double chatter_rate = 60.0;        ///< reversals per s
  double chatter_window = 0.25;      ///< s, time constant of the count
  double motor_current = 1.0;        ///< A, root mean square over ...
  double heating_time = 10.0;        ///< ... s, the time constant of a motor's heat
  std::uint32_t switched_off = 0;    ///< bits of the reasons that are not watched

  bool is_on(Reason reason) const
  {
    return (switched_off >> static_cast<unsigned>(reason) & 1U) == 0;
  }
  void switch_off(Reason reason) { switched_off |= 1U << static_cast<unsigned>(reason); }
};

/// The reasons that a file may switch off. The others are limits of the robot, or of the hardware.
const std::vector<Reason> & reasons_to_switch_off();
/// Switches these off, by their names; false if one of them cannot be.
bool switch_off(const std::vector<std::string> & names, GuardSettings & settings);
/// Names of the reasons that are switched off.
std::vector<std::string> switched_off_names(const GuardSettings & settings);

/// The band of a loop that is known to follow badly, as PD alone at its voltage limit does: for
/// comparisons in simulation, never for motors.
void widen_following(GuardSettings & settings);

/// Calls visit(key, value) for each number of the guard's settings, under its key in the file.
template <class Settings, class Visit>
void visit_guard(Settings & guard, Visit && visit)
{
  visit("late_cycles_in_a_row", guard.late_cycles_in_a_row);
  visit("following_band", guard.following_band);
  visit("following_window", guard.following_window);
  visit("frozen_voltage", guard.frozen_voltage);
  visit("frozen_window", guard.frozen_window);
  visit("jump_speed", guard.jump_speed);
  visit("jump_distance", guard.jump_distance);
  visit("failures_in_a_row", guard.failures_in_a_row);
  visit("unexplained_voltage", guard.unexplained_voltage);
  visit("unexplained_share", guard.unexplained_share);
  visit("unexplained_window", guard.unexplained_window);
  visit("scale_ratio", guard.scale_ratio);
  visit("scale_voltage", guard.scale_voltage);
  visit("scale_window", guard.scale_window);
  visit("saturation_window", guard.saturation_window);
  visit("chatter_voltage", guard.chatter_voltage);
  visit("chatter_rate", guard.chatter_rate);
  visit("chatter_window", guard.chatter_window);
  visit("motor_current", guard.motor_current);
  visit("heating_time", guard.heating_time);
}

/// What the observer and the gains along a plan are made for.
struct LoopGainSettings
{
  double reading_noise = 4.428e-4;  ///< rad, standard deviation; rounding to 4096 counts
  double disturbance_rate = 0.02;   ///< V per cycle, by which the disturbance may wander
  double disturbance_limit = 0.5;   ///< V, of the estimate
  double volts_weight = 1e-5;       ///< m²/V², against the squared error of P
  int horizon = 50;                 ///< cycles that mpc looks ahead
  int horizon_sweeps = 8;           ///< at most, per cycle
  double horizon_time = 2e-4;       ///< s per cycle; where the hardware's time is real

  bool operator==(const LoopGainSettings &) const = default;
};

/// Everything that config/controller.yaml holds.
struct ControllerSettings
{
  FeedbackGains gains;
  VelocitySettings velocity;
  StartSettings start;
  EndSettings end;
  GuardSettings guard;
  LoopGainSettings loop;

  /// Whether a plan can only be played with gains of its own.
  bool needs_gains() const
  {
    return gains.method != FeedbackMethod::pd || velocity.method == VelocityMethod::kalman;
  }
};

/// Reads and validates a controller file; throws InputError with file, line, column and key.
ControllerSettings load_controller_settings(const std::string & path);
ControllerSettings parse_controller_settings(const std::string & text, const std::string & name);

}  // namespace fivebar_control
