// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

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

struct FeedbackGains
{
  double kp = 22.7;             ///< V/rad
  double kd = 0.43;             ///< V s/rad
  double ki = 0.0;              ///< V/(rad s)
  double integral_limit = 1.0;  ///< V, of the integral's share
};

enum class VelocityMethod
{
  filtered_difference,  ///< difference of angles through a first-order low-pass
  tracking_observer,    ///< second-order, critically damped
};

/// As the controller file says it.
const char * to_string(VelocityMethod method);

struct VelocitySettings
{
  VelocityMethod method = VelocityMethod::filtered_difference;
  double cutoff = 50.0;  ///< Hz, of the low-pass, or bandwidth of the observer
};

struct StartSettings
{
  double tolerance = 0.02;         ///< rad, distance from the plan's start that needs no alignment
  double alignment_speed = 1.0;    ///< rad/s, peak of the alignment move
  double settle_time = 0.05;       ///< s within the tolerance before the plan starts
  double alignment_timeout = 2.0;  ///< s after the move within which it must settle
};

struct EndSettings
{
  double stop_time = 0.3;    ///< s in which a requested stop brings the plan's time to rest
  double settle_time = 0.2;  ///< s in which the reference comes to rest where it ended
  double hold_time = 0.5;    ///< s
  double relax_time = 0.3;   ///< s in which the holding volts fade out
};

/// Windows and bands of the guard. Limits of the robot itself come with the robot's file.
struct GuardSettings
{
  int late_cycles_in_a_row = 5;
  double following_band = 0.3;    ///< rad
  double following_window = 0.1;  ///< s
  double frozen_voltage = 1.5;    ///< V at which an encoder must move
  double frozen_window = 0.05;    ///< s
  double jump_speed = 100.0;      ///< rad/s, faster is no motion but a broken encoder
  int failures_in_a_row = 3;      ///< of reads or writes
};

/// Everything that config/controller.yaml holds.
struct ControllerSettings
{
  FeedbackGains gains;
  VelocitySettings velocity;
  StartSettings start;
  EndSettings end;
  GuardSettings guard;
};

/// Reads and validates a controller file; throws InputError with file, line, column and key.
ControllerSettings load_controller_settings(const std::string & path);
ControllerSettings parse_controller_settings(const std::string & text, const std::string & name);

}  // namespace fivebar_control
