// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>

#include "fivebar_control/hardware/motor_hardware.hpp"

namespace fivebar_control
{

struct ComediSettings
{
  int analog_subdevice = 1;
  std::array<int, 2> analog_channels{0, 1};
  int analog_range = 0;
  std::array<int, 2> counter_subdevices{11, 12};
  std::array<int, 2> counter_channels{0, 0};
  /// Comedi knows no watchdog: if this program dies, the card holds its last volts. Whoever has an
  /// amplifier with an enable line of its own says so here.
  bool accept_no_watchdog = false;
};

/// A data acquisition card of the Comedi kernel drivers, or null if this build is without Comedi.
std::unique_ptr<MotorHardware> make_comedi_card(
  const std::string & device, const ComediSettings & settings);

}  // namespace fivebar_control
