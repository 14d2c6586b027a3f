// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "fivebar_control/hardware/calibration.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/message.hpp"
#include "fivebar_control/support/monotonic_clock.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::int64_t homing_period_ns = 1'000'000;
constexpr int most_failed_reads = 5;
constexpr int most_first_reads = 20;

}  // namespace

CalibratedHardware::CalibratedHardware(
  std::unique_ptr<MotorHardware> device, const Calibration & calibration, const ZeroOptions & zero)
: device_(std::move(device)),
  calibration_(calibration),
  memory_(zero.folder, device_->description()),
  homed_by_user_(zero.homed)
{
  for (std::size_t i = 0; i < 2; ++i)
  {
    encoder_.counts_per_turn[i] = calibration_.joints[i].counts_per_turn();
    set_zero(i, 0, calibration_.homing.angle[i]);
  }
}

HardwareError CalibratedHardware::open()
{
  complaint_.clear();
  homed_ = false;
  doubted_ = false;
  HardwareError error = device_->open();
  if (error != HardwareError::none)
  {
    return error;
  }
  error = compare_full_scale();
  if (error == HardwareError::none)
  {
    error = first_sample(last_);
  }
  if (error == HardwareError::none && calibration_.homing.method == HomingMethod::known_pose)
  {
    error = take_known_pose();
  }
  if (error != HardwareError::none)
  {
    device_->close();
  }
  return error;
}

/// A device that gives less than it may be asked for would be limited by itself, unseen.
HardwareError CalibratedHardware::compare_full_scale()
{
  const std::optional<double> most = device_->full_scale();
  for (std::size_t i = 0; most && i < 2; ++i)
  {
    const double asked = calibration_.joints[i].largest_output();
    if (asked > *most + 1e-3)
    {
      complaint_ = fmt::format(
        "its outputs give at most {:.3f} V, joint_{} may ask for {:.3f} V: lower 'output_limit' of "
        "the calibration to what the device gives, or the robot's voltage limit",
        *most, i == 0 ? 1 : 4, asked);
      return HardwareError::wrong_device;
    }
  }
  return HardwareError::none;
}

HardwareError CalibratedHardware::take_known_pose()
{
  const Homing & homing = calibration_.homing;
  if (memory_.is_used() && !homed_by_user_)
  {
    homed_ = recall_zero();
    return homed_ ? HardwareError::none : HardwareError::not_homed;
  }
  for (std::size_t i = 0; i < 2; ++i)
  {
    set_zero(i, homing.at_open ? last_.counts[i] : 0, homing.angle[i]);
  }
  homed_ = true;
  remember_zero(true);
  return HardwareError::none;
}

/// The zero of an earlier run, if the counts are still those and mean the same.
bool CalibratedHardware::recall_zero()
{
  std::string why;
  std::optional<RememberedZero> zero;
  try
  {
    zero = memory_.load();
  }
  catch (const InputError & error)
  {
    why = error.what();
  }
  if (!zero && why.empty())
  {
    why = "it has not been homed yet by this user on this machine";
  }
  else if (zero && !zero->certain)
  {
    why = "an encoder failed in the run before";
  }
  else if (zero && device_->session() != zero->session)
  {
    why = device_->session() ? "the board was restarted since, and its counts began anew"
                             : "this device cannot tell whether it was restarted since";
  }
  else if (zero && zero->calibration != calibration_.fingerprint())
  {
    why = "the calibration is another one than in the run before";
  }
  if (why.empty())
  {
    encoder_.zero_angle = {zero->zero_angle[0], zero->zero_angle[1]};
    return true;
  }
  const Homing & homing = calibration_.homing;
  complaint_ = fmt::format(
    "{}{}. Put the links at phi1 = {:.4f}, phi4 = {:.4f} rad{} and say --homed, or let the robot "
    "home itself (docs/hardware.md)",
    why,
    zero ? fmt::format(
             " (the links were last seen at {:.4f} and {:.4f} rad)", zero->last_angle[0],
             zero->last_angle[1])
         : "",
    homing.angle[0], homing.angle[1], homing.at_open ? "" : ", switch the board off and on there,");
  return false;
}

void CalibratedHardware::remember_zero(bool certain) noexcept
{
  if (!memory_.is_used())
  {
    return;
  }
  try
  {
    const Eigen::Vector2d angle = encoder_.angle(last_);
    memory_.save(
      {device_->description(),
       device_->session().value_or(0),
       calibration_.fingerprint(),
       {encoder_.zero_angle[0], encoder_.zero_angle[1]},
       {angle[0], angle[1]},
       certain && device_->session().has_value(),
       ""});
  }
  catch (const std::exception & error)
  {
    say("fivebar: the zero of the encoders cannot be remembered: {}\n", error.what());
  }
}

void CalibratedHardware::doubt_zero() noexcept { doubted_ = true; }

HardwareError CalibratedHardware::arm()
{
  if (!homed_)
  {
    complaint_ = "homing comes first";
    return HardwareError::not_homed;
  }
  return device_->arm();
}

HardwareError CalibratedHardware::read(MotorSample & sample) noexcept
{
  const HardwareError error = device_->read(sample);
  if (error == HardwareError::none)
  {
    last_ = sample;
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

OutputLine CalibratedHardware::output_line(int joint) const
{
  const JointCalibration & j = calibration_.joints[static_cast<std::size_t>(joint)];
  return {
    j.output_per_volt * (j.motor_reversed ? -1.0 : 1.0), j.output_limit, j.dead_band,
    j.dead_band > 0.0 ? 1.0 / j.dead_band_width : 0.0};
}

void CalibratedHardware::close() noexcept
{
  if (homed_)
  {
    remember_zero(!doubted_);
  }
  homed_ = false;
  device_->close();
}

std::string CalibratedHardware::explanation() const
{
  return complaint_.empty() ? device_->explanation() : complaint_;
}

/// The link stands at `angle` when the encoder shows `counts`.
void CalibratedHardware::set_zero(std::size_t joint, std::int64_t counts, double angle)
{
  encoder_.zero_angle[joint] =
    angle + calibration_.joints[joint].offset -
    2.0 * std::numbers::pi / encoder_.counts_per_turn[joint] * static_cast<double>(counts);
}

HardwareError CalibratedHardware::home(const HomingCalls & calls)
{
  if (calls.stop())
  {
    return HardwareError::interrupted;
  }
  if (homed_)
  {
    return HardwareError::none;
  }
  if (!calibration_.robot)
  {
    complaint_ = "homing needs the robot's limits";
    return HardwareError::not_homed;
  }
  // Until it is found, the zero is where the calibration says that the links stand, about.
  for (std::size_t i = 0; i < 2; ++i)
  {
    set_zero(i, last_.counts[i], calibration_.homing.start[static_cast<Eigen::Index>(i)]);
  }
  for (std::size_t i = 0; i < 2; ++i)
  {
    const HardwareError error = find(i, calls);
    const bool off = device_->confirms_zero();
    if (error != HardwareError::none || !off)
    {
      return error != HardwareError::none ? error : HardwareError::timeout;
    }
  }
  homed_ = true;
  remember_zero(true);
  return HardwareError::none;
}

void CalibratedHardware::pause()
{
  if (clock() == HardwareClock::monotonic)
  {
    sleep_until_ns(monotonic_now_ns() + homing_period_ns);
  }
}

HardwareError CalibratedHardware::first_sample(MotorSample & sample)
{
  HardwareError error = HardwareError::timeout;
  for (int i = 0; i < most_first_reads && error == HardwareError::timeout; ++i)
  {
    error = device_->read(sample);
    pause();
  }
  return error;
}

/// What one sample means for the search: an error ends it.
HardwareError CalibratedHardware::judge(Search & search, const MotorSample & sample, bool stop)
{
  if (stop)
  {
    complaint_ = "while homing";
    return HardwareError::interrupted;
  }
  if (search.failed_reads > most_failed_reads)
  {
    return search.read_error;
  }
  if (!motor_status::is_good(sample.status))
  {
    complaint_ = "stopped while homing: " + device_->explanation();
    return HardwareError::device_fault;
  }
  if (search.read_error == HardwareError::none)
  {
    const double elapsed =
      search.before_ns == 0 ? 0.0 : static_cast<double>(sample.time_ns - search.before_ns) * 1e-9;
    search.before_ns = sample.time_ns;
    MotorSample marked = sample;
    marked.counts = sample.index;
    const auto j = static_cast<Eigen::Index>(search.joint);
    search.state =
      search.motion.update(sample, encoder_.angle(sample), encoder_.angle(marked)[j], elapsed);
  }
  return HardwareError::none;
}

/// Reads, judges, writes, and tells.
HardwareError CalibratedHardware::step(Search & search, const HomingCalls & calls)
{
  HomingCycle cycle;
  search.read_error = read(cycle.sample);
  cycle.read_good = search.read_error == HardwareError::none;
  search.failed_reads = cycle.read_good ? 0 : search.failed_reads + 1;
  HardwareError error = judge(search, cycle.sample, calls.stop());
  if (error == HardwareError::none)
  {
    error = write(search.motion.volts());
    cycle.volts = terminal_volts(search.motion.volts());
    cycle.write_good = error == HardwareError::none;
  }
  const bool simulated = clock() == HardwareClock::simulated;
  cycle.time_ns = simulated ? cycle.sample.time_ns : monotonic_now_ns();
  cycle.angle = encoder_.angle(cycle.sample);
  calls.see(cycle);
  return error;
}

/// Drives one joint until its mark or its stop; the other one is at rest. Ends disarmed.
HardwareError CalibratedHardware::find(std::size_t joint, const HomingCalls & calls)
{
  if (const HardwareError error = device_->arm_for_homing(); error != HardwareError::none)
  {
    return error;
  }
  Search search{HomingSearch(*calibration_.robot, calibration_.homing, joint), joint};
  HardwareError error = HardwareError::none;
  for (std::int64_t next = monotonic_now_ns();
       error == HardwareError::none && search.state == HomingSearch::State::searching;)
  {
    error = step(search, calls);
    if (clock() == HardwareClock::monotonic)
    {
      next += homing_period_ns;
      sleep_until_ns(next);
    }
  }
  const HardwareError disarm_error = device_->disarm();
  if (search.state == HomingSearch::State::failed)
  {
    complaint_ = search.motion.complaint();
    return HardwareError::not_homed;
  }
  if (search.state == HomingSearch::State::found)
  {
    set_zero(
      joint, search.motion.counts(), calibration_.homing.angle[static_cast<Eigen::Index>(joint)]);
  }
  return error != HardwareError::none ? error : disarm_error;
}

}  // namespace fivebar_control
