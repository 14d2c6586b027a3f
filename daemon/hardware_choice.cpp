#include "hardware_choice.hpp"

#include "config_location.hpp"

namespace fivebar_control::cli
{

std::unique_ptr<MotorHardware> make_hardware(const RobotModel & robot, BackendChoice choice)
{
  const std::string in_config = default_calibration(choice.name);
  if (choice.calibration.empty() && !in_config.empty())
  {
    choice.calibration = find_config(in_config);
  }
  return make_backend(robot, choice);
}

}  // namespace fivebar_control::cli
