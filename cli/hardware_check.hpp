// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fivebar_control/hardware/motor_hardware.hpp"

namespace fivebar_control
{

/// What an acceptance test of the motors does and demands.
struct HardwareCheckOptions
{
  double rate = 1000.0;             ///< Hz
  double communication_time = 2.0;  ///< s
  double turn_time = 15.0;          ///< s in which someone turns the links by hand; 0: skipped
  double turn_angle = 0.1;          ///< rad that each link must be turned, both ways
  double pulse_voltage = 1.0;       ///< V; 0: nothing is driven
  double pulse_time = 0.15;         ///< s each way
  double pulse_angle = 0.005;       ///< rad that a pulse must move its link at least
  double largest_median = 1e-3;     ///< s, of the round trip
  double largest_jitter = 1e-3;     ///< s, 99th percentile above the median
  double stale_share = 0.01;        ///< of the reads
  double watchdog_time = 0.055;     ///< s: 50 ms, and what our own reads take to see it
};

struct CheckResult
{
  std::string name, measured, limit;
  bool passed = false;
  bool skipped = false;
};

/// Opens the hardware, checks connection, encoders, motors and watchdog, closes it. `say` gets
/// sentences for the person at the robot.
std::vector<CheckResult> check_hardware(
  MotorHardware & hardware, const HardwareCheckOptions & options,
  const std::function<void(const std::string &)> & say);

}  // namespace fivebar_control
