// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "fivebar_control/commission/driver.hpp"
#include "fivebar_control/commission/person.hpp"
#include "fivebar_control/commission/response_fit.hpp"
#include "fivebar_control/commission/step.hpp"
#include "fivebar_control/hardware/calibration.hpp"

namespace fivebar_control::commission
{

/// What the procedure does and demands.
struct Settings
{
  double rate = 1000.0;             ///< Hz
  MotionLimits limits;              ///< `limits.volts` is the largest voltage of the procedure
  double communication_time = 2.0;  ///< s
  double largest_median = 1e-3;     ///< s, of the round trip
  double largest_jitter = 1e-3;     ///< s, 99th percentile above the median
  double stale_share = 0.01;        ///< of the reads
  double largest_unrest = 0.05;     ///< share of reads at rest in which a count may change
  double watchdog_time = 0.055;     ///< s: 50 ms, and what our own reads take to see it
  double person_time = 30.0;        ///< s to press the emergency stop, or to turn a link
  double clear_motion = 0.02;       ///< rad: a link has certainly moved
  double turn_angle = 0.1;          ///< rad that a link must be turned by hand
  double largest_delay = 5e-3;      ///< s
  double largest_dead_band = 0.8;   ///< V
};

/// The robot on its bench: everything that the steps work with. The hardware is open, not homed by
/// motion and without compensation of a dead band; see bench_calibration().
struct Bench
{
  const RobotModel & robot;
  const Calibration & calibration;  ///< as it is in its file
  Settings settings;
  Person & person;
  Driver driver;
  /// V at which each motor clearly moves its link, once found.
  Eigen::Vector2d moving_volts = Eigen::Vector2d::Zero();
};

/// `interrupted` is asked in every cycle of every motion.
Bench make_bench(
  MotorHardware & hardware, const RobotModel & robot, const Calibration & calibration,
  const Settings & settings, Person & person, std::function<bool()> interrupted);

/// For a robot of which nothing is known yet: the links stand at the robot's home when opened,
/// nothing moves for homing, and no dead band is compensated.
Calibration bench_calibration(Calibration calibration, const RobotModel & robot);

/// Thrown out of a step: nobody answers or a signal came; it failed and cannot go on.
struct StepStopped
{
};
struct StepFailed
{
};
/// Asks, and ends the step if nobody answers.
std::string ask(Bench & bench, const Question & question);
/// The track, or an end of the step: a fault is noted, an interrupt ends it.
Track require_good(Track track, StepResult & result);

// The steps, in files by theme.
void check_connection(Bench & bench, StepResult & result);
void take_pose(Bench & bench, StepResult & result);
void check_emergency_stop(Bench & bench, StepResult & result);
void check_watchdog(Bench & bench, StepResult & result);
void check_direction(Bench & bench, StepResult & result, std::size_t joint);
void measure_dead_band(Bench & bench, StepResult & result, std::size_t joint);
void measure_response(Bench & bench, StepResult & result, std::size_t joint);
void check_end_stops(Bench & bench, StepResult & result);

/// The part of check_direction() that needs no eyes: each motor moves the encoder of its joint, in
/// the direction of its volts.
void check_pair(Bench & bench, StepResult & result, std::size_t joint);
/// Someone turns each link counter-clockwise by hand, the motors being off.
void check_turning(Bench & bench, StepResult & result, std::size_t joint);

}  // namespace fivebar_control::commission
