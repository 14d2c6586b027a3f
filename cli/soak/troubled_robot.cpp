// SPDX-License-Identifier: Apache-2.0
#include "troubled_robot.hpp"

#include <algorithm>
#include <cmath>

namespace fivebar_control::soak
{
namespace
{
constexpr std::int64_t longest_silence = 150;  // periods; the watchdog trips after 100
constexpr double largest_jump = 400.0;         // counts, 0.6 rad
constexpr double fastest_drift = 2.0;          // counts per cycle
constexpr double largest_step = 6.0;           // V
}  // namespace

std::int64_t TroubledClock::begin_cycle()
{
  Pacer::begin_cycle();
  ++cycle_;
  auto step =
    static_cast<std::int64_t>(static_cast<double>(period_ns_) * random_.uniform(0.8, 1.2));
  for (const Incident & incident : *incidents_)
  {
    if (incident.is_on(cycle_) && incident.trouble == Trouble::late_cycle)
    {
      step +=
        static_cast<std::int64_t>(10.0 * std::abs(incident.size) * static_cast<double>(period_ns_));
    }
    if (incident.is_on(cycle_) && incident.trouble == Trouble::long_silence)
    {
      step += (longest_silence - 20) * period_ns_;
    }
  }
  now_ns_ += step;
  periods_ = std::clamp<std::int64_t>((step + period_ns_ / 2) / period_ns_, 1, longest_silence);
  return now_ns_;
}

HardwareError TroubledRobot::read(MotorSample & sample) noexcept
{
  // While the loop is late the robot moves on under the old volts.
  HardwareError error = HardwareError::none;
  for (std::int64_t i = 0; i < clock_.periods(); ++i)
  {
    error = robot_.read(sample);
  }
  sample.time_ns = clock_.now_ns();
  for (const Incident & incident : *incidents_)
  {
    if (incident.is_on(clock_.cycle()))
    {
      const HardwareError trouble = trouble_reading(incident, sample);
      error = trouble != HardwareError::none ? trouble : error;
    }
  }
  if (error != HardwareError::none)
  {
    sample = before_;
    device_bad_ = false;
    return error;
  }
  before_ = sample;
  device_bad_ =
    (sample.status & (motor_status::device_fault | motor_status::watchdog_tripped)) != 0U;
  return HardwareError::none;
}

HardwareError TroubledRobot::trouble_reading(
  const Incident & incident, MotorSample & sample) noexcept
{
  std::int64_t & counts = sample.counts[incident.joint];
  const auto since = static_cast<double>(clock_.cycle() - incident.from);
  switch (incident.trouble)
  {
    case Trouble::read_failure:
      return HardwareError::timeout;
    case Trouble::stale_sample:
      sample.time_ns = before_.time_ns;
      break;
    case Trouble::frozen_encoder:
      frozen_[incident.joint] = since == 0.0 ? counts : frozen_[incident.joint];
      counts = frozen_[incident.joint];
      break;
    case Trouble::encoder_jump:
      counts += std::llround(largest_jump * incident.size);
      break;
    case Trouble::encoder_drift:
      counts += std::llround(fastest_drift * incident.size * since);
      break;
    case Trouble::device_fault:
      sample.status |= motor_status::device_fault | motor_status::over_current;
      break;
    case Trouble::interrupt:
      // A second one at the end, if it lasts: first a stop, then an abort.
      if (clock_.cycle() == incident.from || clock_.cycle() + 1 == incident.from + incident.cycles)
      {
        requests_->interrupts.fetch_add(1, std::memory_order_relaxed);
      }
      break;
    case Trouble::write_failure:
    case Trouble::late_cycle:
    case Trouble::long_silence:
    case Trouble::voltage_step:
    case Trouble::supply_drop:
      break;
  }
  return HardwareError::none;
}

HardwareError TroubledRobot::write(const Eigen::Vector2d & volts) noexcept
{
  Eigen::Vector2d given = volts;
  for (const Incident & incident : *incidents_)
  {
    if (!incident.is_on(clock_.cycle()))
    {
      continue;
    }
    if (incident.trouble == Trouble::write_failure)
    {
      return HardwareError::timeout;
    }
    if (incident.trouble == Trouble::voltage_step)
    {
      given[incident.joint] += largest_step * incident.size;
    }
    if (incident.trouble == Trouble::supply_drop)
    {
      given[0] *= std::abs(incident.size);
      given[1] *= std::abs(incident.size);
    }
  }
  return robot_.write(given);
}

}  // namespace fivebar_control::soak
