#include "hardware_choice.hpp"

#include <fmt/core.h>

#include "config_location.hpp"
#include "fivebar_control/hardware/calibration.hpp"
#include "fivebar_control/hardware/mujoco_engine.hpp"
#include "fivebar_control/hardware/simulated_robot.hpp"
#include "fivebar_control/support/file_error.hpp"

namespace fivebar_control::cli
{

std::unique_ptr<MotorHardware> make_hardware(
  const std::string & name, const RobotModel & robot, const PlantParameters & plant,
  const Eigen::Vector2d & start, std::int64_t period_ns, const std::string & calibration)
{
  if (name == "sim")
  {
    return std::make_unique<SimulatedRobot>(robot, plant, start, period_ns);
  }
  if (name == "mujoco")
  {
    return std::make_unique<SimulatedRobot>(
      make_mujoco_engine(robot, plant), plant, start, period_ns);
  }
  if (const std::string kind = device_kind(name); !kind.empty())
  {
    const std::string file =
      calibration.empty() ? find_config("hardware/" + kind + ".yaml") : calibration;
    return make_device(name, load_calibration(file, robot));
  }
  throw FileError(fmt::format(
    "--hardware: this build does not know '{}', expected one of: {}", name, hardware_names));
}

}  // namespace fivebar_control::cli
