// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "fivebar_control/hardware/calibration.hpp"
#include "fivebar_control/simulation/plant.hpp"

namespace fivebar_control
{

/// What the names of backends look like, for help texts and messages.
inline constexpr const char * backend_names =
  "sim, mujoco, gazebo, serial:DEVICE, hil:CARD[:ID], comedi:DEVICE";

/// Which hardware is meant, by `--hardware` or by the <hardware> tag of a URDF.
struct BackendChoice
{
  std::string name;                                 ///< one of backend_names
  PlantParameters plant;                            ///< of a simulated robot
  Eigen::Vector2d start = Eigen::Vector2d::Zero();  ///< rad, where it stands unless the plant says
  std::int64_t period_ns = 1'000'000;               ///< of the control loop
  std::string calibration;                          ///< file, for real motors
  ZeroOptions zero{};                               ///< of their encoders
};

/// Where in config/ the calibration of this backend is: "hardware/serial.yaml". Empty for those
/// that need none.
std::string default_calibration(const std::string & backend);

/// Other backends join here. Throws InputError for a name that this build does not know, is not
/// complete or has a bad calibration file.
std::unique_ptr<MotorHardware> make_backend(const RobotModel & robot, const BackendChoice & choice);

}  // namespace fivebar_control
