// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/hardware/backends/backend.hpp"

#include <fmt/core.h>

#include "fivebar_control/hardware/calibration.hpp"
#include "fivebar_control/simulation/gazebo_engine.hpp"
#include "fivebar_control/simulation/mujoco_engine.hpp"
#include "fivebar_control/simulation/simulated_robot.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{

std::string default_calibration(const std::string & backend)
{
  const std::string kind = device_kind(backend);
  return kind.empty() ? "" : "hardware/" + kind + ".yaml";
}

std::unique_ptr<MotorHardware> make_backend(const RobotModel & robot, const BackendChoice & choice)
{
  if (choice.name == "sim")
  {
    return std::make_unique<SimulatedRobot>(robot, choice.plant, choice.start, choice.period_ns);
  }
  if (choice.name == "mujoco")
  {
    return std::make_unique<SimulatedRobot>(
      make_mujoco_engine(robot, choice.plant), choice.plant, choice.start, choice.period_ns);
  }
  if (choice.name == "gazebo")
  {
    require_gazebo_period(choice.period_ns);
    return std::make_unique<SimulatedRobot>(
      make_gazebo_engine(robot, choice.plant), choice.plant, choice.start, choice.period_ns);
  }
  if (!device_kind(choice.name).empty())
  {
    Calibration calibration = load_calibration(choice.calibration, robot);
    calibration.serial.lock_step_period_ns = choice.period_ns;
    return make_device(choice.name, calibration, choice.zero);
  }
  throw InputError(fmt::format(
    "this build does not know the hardware '{}', expected one of: {}", choice.name, backend_names));
}

}  // namespace fivebar_control
