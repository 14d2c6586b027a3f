#include "fivebar_control/hardware/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/monotonic_clock.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::int64_t homing_period_ns = 1'000'000;
constexpr int most_failed_reads = 20;

}  // namespace

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

CalibratedHardware::CalibratedHardware(
  std::unique_ptr<MotorHardware> device, const Calibration & calibration)
: device_(std::move(device)), calibration_(calibration)
{
  for (std::size_t i = 0; i < 2; ++i)
  {
    encoder_.counts_per_turn[i] = calibration_.joints[i].counts_per_turn();
    set_zero(i, 0);
  }
}

HardwareError CalibratedHardware::open()
{
  complaint_.clear();
  HardwareError error = device_->open();
  if (error == HardwareError::none)
  {
    error = home();
    if (error != HardwareError::none)
    {
      device_->close();
    }
  }
  return error;
}

HardwareError CalibratedHardware::write(const Eigen::Vector2d & volts) noexcept
{
  // Not a number would pass the clamp; the device refuses it.
  return device_->write(
    {calibration_.joints[0].output(volts[0]), calibration_.joints[1].output(volts[1])});
}

Eigen::Vector2d CalibratedHardware::terminal_volts(const Eigen::Vector2d & volts) const noexcept
{
  return {calibration_.joints[0].terminal(volts[0]), calibration_.joints[1].terminal(volts[1])};
}

std::string CalibratedHardware::explanation() const
{
  return complaint_.empty() ? device_->explanation() : complaint_;
}

/// The link stands at the homing angle when the encoder shows `counts`.
void CalibratedHardware::set_zero(std::size_t joint, std::int64_t counts)
{
  encoder_.zero_angle[joint] =
    calibration_.homing.angle[joint] + calibration_.joints[joint].offset -
    2.0 * std::numbers::pi / encoder_.counts_per_turn[joint] * static_cast<double>(counts);
}

HardwareError CalibratedHardware::home()
{
  const Homing & homing = calibration_.homing;
  if (homing.method == HomingMethod::known_pose)
  {
    MotorSample sample;
    const HardwareError error = homing.at_open ? first_sample(sample) : HardwareError::none;
    for (std::size_t i = 0; i < 2; ++i)
    {
      set_zero(i, homing.at_open ? sample.counts[i] : 0);
    }
    return error;
  }
  for (std::size_t i = 0; i < 2; ++i)
  {
    std::int64_t counts = 0;
    if (const HardwareError error = search(i, counts); error != HardwareError::none)
    {
      return error;
    }
    set_zero(i, counts);
  }
  return HardwareError::none;
}

HardwareError CalibratedHardware::first_sample(MotorSample & sample)
{
  HardwareError error = HardwareError::timeout;
  for (int i = 0; i < most_failed_reads && error == HardwareError::timeout; ++i)
  {
    error = device_->read(sample);
    sleep_until_ns(monotonic_now_ns() + homing_period_ns);
  }
  return error;
}

/// Drives one joint at its homing voltage until its mark or its stop; the other one is at rest.
HardwareError CalibratedHardware::search(std::size_t joint, std::int64_t & counts)
{
  const Homing & homing = calibration_.homing;
  if (const HardwareError error = device_->arm(); error != HardwareError::none)
  {
    return error;
  }
  Eigen::Vector2d volts = Eigen::Vector2d::Zero();
  volts[joint] = homing.voltage[joint];
  const std::int64_t began = monotonic_now_ns();
  std::int64_t moved = began;
  bool has_counts = false;
  int failed_reads = 0;
  HardwareError error = HardwareError::none;
  for (std::int64_t now = began; error == HardwareError::none;)
  {
    MotorSample sample;
    const HardwareError read_error = device_->read(sample);
    failed_reads = read_error == HardwareError::none ? 0 : failed_reads + 1;
    if (failed_reads > most_failed_reads)
    {
      error = read_error;
    }
    else if (!motor_status::is_good(sample.status))
    {
      error = HardwareError::device_fault;
      complaint_ = "stopped while homing: " + describe_status(sample.status);
    }
    else if (static_cast<double>(now - began) * 1e-9 > homing.timeout)
    {
      error = HardwareError::not_homed;
      complaint_ = "joint " + std::string(joint == 0 ? "1" : "4") + " found no " +
                   (homing.method == HomingMethod::end_stop ? "end stop" : "index pulse") +
                   " within " + std::to_string(homing.timeout) + " s";
    }
    else if (read_error == HardwareError::none)
    {
      if (homing.method == HomingMethod::index_pulse)
      {
        counts = sample.index[joint];
        if ((sample.status & motor_status::index_seen[joint]) != 0U)
        {
          break;
        }
      }
      else
      {
        moved = !has_counts || sample.counts[joint] != counts ? now : moved;
        counts = sample.counts[joint];
        has_counts = true;
        if (static_cast<double>(now - moved) * 1e-9 > homing.still_time)
        {
          break;
        }
      }
    }
    if (error == HardwareError::none)
    {
      error = write(volts);
    }
    now += homing_period_ns;
    sleep_until_ns(now);
  }
  const HardwareError disarm_error = device_->disarm();
  return error != HardwareError::none ? error : disarm_error;
}

std::string device_kind(const std::string & name)
{
  const std::string kind = name.substr(0, name.find(':'));
  return kind == "serial" || kind == "hil" || kind == "comedi" ? kind : "";
}

std::unique_ptr<MotorHardware> make_device(
  const std::string & name, const Calibration & calibration)
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
  return std::make_unique<CalibratedHardware>(std::move(device), calibration);
}

}  // namespace fivebar_control
