// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/hardware/backends/backend.hpp"

namespace fivebar_control::cli
{

/// The values of --hardware as its help names them: "sim|mujoco|serial:DEVICE|...".
std::string hardware_choices();

/// The backend that the options --hardware and --calibration name, with the package's calibration
/// where none is given. Throws InputError.
std::unique_ptr<MotorHardware> make_hardware(const RobotModel & robot, BackendChoice choice);

}  // namespace fivebar_control::cli
