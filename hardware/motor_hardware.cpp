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
      return "no rights to use the device";
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
  }
  return "unknown";
}

}  // namespace fivebar_control
