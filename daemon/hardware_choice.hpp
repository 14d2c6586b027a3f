#pragma once

#include <memory>
#include <string>

#include "fivebar_control/hardware/motor_hardware.hpp"
#include "fivebar_control/hardware/plant.hpp"

namespace fivebar_control::cli
{

/// The backend that `--hardware` names; other backends join here. Throws FileError for a name that
/// this build does not know. `start` is where a simulated robot stands unless its plant says so.
/// `calibration` is the file for real motors; empty: that of config/hardware for this kind.
std::unique_ptr<MotorHardware> make_hardware(
  const std::string & name, const RobotModel & robot, const PlantParameters & plant,
  const Eigen::Vector2d & start, std::int64_t period_ns, const std::string & calibration = "");

/// What `--hardware` takes, for help texts and messages.
inline constexpr const char * hardware_names =
  "sim, mujoco, serial:DEVICE, hil:CARD[:ID], comedi:DEVICE";

}  // namespace fivebar_control::cli
