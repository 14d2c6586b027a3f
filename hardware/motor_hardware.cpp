// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/hardware/motor_hardware.hpp"

namespace fivebar_control
{

const char * to_string(HardwareError error)
{
  switch (error)
  {
    case HardwareError::none:
      return "none";
    case HardwareError::no_device:
      return "no such device";
    case HardwareError::no_rights:
      return "no permission to use the device";
    case HardwareError::busy:
      return "the device is busy: another program uses it";
    case HardwareError::wrong_device:
      return "the device is not a motor board of this robot";
    case HardwareError::not_armed:
      return "the motors are not armed";
    case HardwareError::timeout:
      return "no answer in time";
    case HardwareError::bad_data:
      return "an answer failed its check";
    case HardwareError::disconnected:
      return "the connection is lost";
    case HardwareError::device_fault:
      return "the device reports a fault";
    case HardwareError::not_homed:
      return "the robot is not homed";
    case HardwareError::library_missing:
      return "the vendor's library is missing";
    case HardwareError::interrupted:
      return "stopped on request";
  }
  return "unknown";
}

std::string describe_status(std::uint32_t status)
{
  struct Cause
  {
    std::uint32_t bit;
    const char * name;
  };
  constexpr Cause causes[] = {
    {motor_status::watchdog_tripped, "watchdog"},
    {motor_status::over_current, "over-current"},
    {motor_status::under_voltage, "under-voltage"},
    {motor_status::encoder_error, "encoder error"},
    {motor_status::emergency_stop, "emergency stop"},
    {motor_status::restarted, "restarted"},
    {motor_status::output_differs, "other volts than commanded"},
  };
  std::string text;
  for (const Cause & cause : causes)
  {
    if ((status & cause.bit) != 0U)
    {
      text += (text.empty() ? "" : ", ") + std::string(cause.name);
    }
  }
  return text;
}

}  // namespace fivebar_control
