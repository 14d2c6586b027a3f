// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/hardware/calibration.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "fivebar_control/support/checksum.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
double JointCalibration::output(double volts) const noexcept
{
  const double compensation = dead_band * std::clamp(volts / dead_band_width, -1.0, 1.0);
  const double at_motor = std::clamp(volts + compensation, -voltage_limit, voltage_limit);
  const double output = at_motor * output_per_volt * (motor_reversed ? -1.0 : 1.0);
  return std::clamp(output, -output_limit, output_limit);
}

double JointCalibration::terminal(double volts) const noexcept
{
  return output(volts) / output_per_volt * (motor_reversed ? -1.0 : 1.0);
}

double JointCalibration::largest_output() const noexcept
{
  return std::min(output_limit, voltage_limit * output_per_volt);
}

std::string Calibration::fingerprint() const
{
  Checksum checksum;
  for (const JointCalibration & joint : joints)
  {
    checksum.add(fmt::format("{} {};", joint.counts_per_turn(), joint.offset));
  }
  checksum.add(fmt::format(
    "{} {} {} {}", static_cast<int>(homing.method), homing.at_open, homing.angle[0],
    homing.angle[1]));
  return checksum.hex();
}

std::string device_kind(const std::string & name)
{
  const std::string kind = name.substr(0, name.find(':'));
  return kind == "serial" || kind == "hil" || kind == "comedi" ? kind : "";
}

std::unique_ptr<MotorHardware> make_device(
  const std::string & name, const Calibration & calibration, const ZeroOptions & zero)
{
  const std::string kind = device_kind(name);
  if (kind.empty())
  {
    return nullptr;
  }
  const std::string rest = name.size() > kind.size() + 1 ? name.substr(kind.size() + 1) : "";
  if (rest.empty())
  {
    throw InputError(
      "'" + name +
      "' names no device, expected serial:DEVICE, hil:CARD[:ID] or "
      "comedi:DEVICE");
  }
  std::unique_ptr<MotorHardware> device;
  if (kind == "serial")
  {
    device = std::make_unique<SerialBoard>(rest, calibration.serial);
  }
  else if (kind == "hil")
  {
    const std::size_t colon = rest.find(':');
    const std::string identifier = colon == std::string::npos ? "0" : rest.substr(colon + 1);
    device = std::make_unique<HilCard>(rest.substr(0, colon), identifier, calibration.hil);
  }
  else
  {
    device = make_comedi_card(rest, calibration.comedi);
    if (!device)
    {
      throw InputError(
        "--hardware: this build is without Comedi; install libcomedi-dev and build again");
    }
  }
  return std::make_unique<CalibratedHardware>(std::move(device), calibration, zero);
}

}  // namespace fivebar_control
