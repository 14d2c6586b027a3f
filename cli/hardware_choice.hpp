// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/hardware/backends/backend.hpp"

namespace fivebar_control::cli
{

/// The values of --hardware as its help names them: "sim|mujoco|serial:DEVICE|...".
std::string hardware_choices();

/// The backend that the options --hardware and --calibration name, with the package's calibration
/// where none is given. Throws InputError.
/// The calibration file that is read for this hardware: the given one, or that of config/. Empty
/// for hardware that needs none.
std::string calibration_file(const std::string & hardware, const std::string & given);

std::unique_ptr<MotorHardware> make_hardware(const RobotModel & robot, BackendChoice choice);

}  // namespace fivebar_control::cli
