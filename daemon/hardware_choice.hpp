#pragma once

#include <memory>
#include <string>

#include "fivebar_control/hardware/motor_hardware.hpp"
#include "fivebar_control/hardware/plant.hpp"

namespace fivebar_control::cli
{

/// The backend that `--hardware` names; other backends join here. Throws FileError for a name that
/// this build does not know. `start` is where a simulated robot stands unless its plant says so.
std::unique_ptr<MotorHardware> make_hardware(
  const std::string & name, const RobotModel & robot, const PlantParameters & plant,
  const Eigen::Vector2d & start, std::int64_t period_ns);

}  // namespace fivebar_control::cli
