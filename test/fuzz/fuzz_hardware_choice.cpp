// SPDX-License-Identifier: Apache-2.0
// The strings that choose hardware (--hardware, <param> of a URDF) and the live view's address: a
// device, a number, an address, or a InputError. Nothing is opened.
#include "fivebar_control/daemon/web_options.hpp"
#include "fivebar_control/hardware/calibration.hpp"
#include "fivebar_control/hardware/hardware_parameter.hpp"
#include "fivebar_control/support/errors.hpp"
#include "targets.hpp"

namespace fivebar_control::fuzz
{

void hardware_choice(Bytes bytes)
{
  const std::string text = text_of(bytes);
  try
  {
    const auto device = make_device(text, Calibration{});
    require((device == nullptr) == device_kind(text).empty(), "a device of every known kind");
    require(!device || !device->description().empty(), "a device that can be named");
  }
  catch (const InputError &)
  {
  }
  try
  {
    const int rate = whole_number("rate", text, 1, 100000);
    require(rate >= 1 && rate <= 100000, "a rate within its range");
    require(text.find_first_not_of("0123456789") == std::string::npos, "digits and nothing else");
  }
  catch (const InputError &)
  {
  }
  WebOptions options;
  options.address = text;
  try
  {
    const WebAddress address = checked_address(options);
    require(address.host.rfind("127.", 0) == 0, "loopback unless asked");
    require(address.port >= 0 && address.port <= 65535, "a port");
  }
  catch (const InputError &)
  {
  }
}

}  // namespace fivebar_control::fuzz
