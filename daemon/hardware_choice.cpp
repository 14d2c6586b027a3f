#include "hardware_choice.hpp"

#include <fmt/core.h>

#include "config_location.hpp"
#include "fivebar_control/support/file_error.hpp"

namespace fivebar_control::cli
{

std::unique_ptr<MotorHardware> make_hardware(
  const std::string & name, const RobotModel & robot, const PlantParameters & plant,
  const Eigen::Vector2d & start, std::int64_t period_ns, const std::string & calibration)
{
  const auto calibration_file = [&calibration](const std::string & kind) {
    return calibration.empty() ? find_config("hardware/" + kind + ".yaml") : calibration;
  };
  auto hardware = make_backend(robot, {name, plant, start, period_ns, calibration_file});
  if (!hardware)
  {
    throw FileError(fmt::format(
      "--hardware: this build does not know '{}', expected one of: {}", name, backend_names));
  }
  return hardware;
}

}  // namespace fivebar_control::cli
