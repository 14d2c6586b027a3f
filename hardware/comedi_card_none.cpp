// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/hardware/comedi_card.hpp"

namespace fivebar_control
{

std::unique_ptr<MotorHardware> make_comedi_card(const std::string &, const ComediSettings &)
{
  return nullptr;
}

}  // namespace fivebar_control
