// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "fivebar_control/commission/bench.hpp"
#include "fivebar_control/commission/person.hpp"
#include "fivebar_control/simulation/plant.hpp"
#include "fivebar_control/simulation/stepped_board.hpp"

namespace fivebar_control::cli
{

/// A robot that is not trusted yet, for `commission` and `check-hardware`: real motors without any
/// homing motion, or for "sim" the emulated board in simulated time.
struct BenchHardware
{
  Calibration calibration;  ///< as it is in its file
  std::unique_ptr<MotorHardware> hardware;
  SteppedBoard * rehearsal = nullptr;  ///< null on real motors
};

/// Throws InputError. The calibration of "sim" is the default one if no file is given.
BenchHardware make_bench_hardware(
  const std::string & name, const std::string & calibration_file, const PlantParameters & plant,
  const RobotModel & robot, double rate);

/// What `run` has to know before it drives real motors: the calibration that --calibration or its
/// default names.
Calibration calibration_for(
  const std::string & hardware, const std::string & file, const RobotModel & robot);

/// Tells a person at the terminal.
void print_line(const std::string & text);

}  // namespace fivebar_control::cli
