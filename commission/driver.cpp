// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/commission/driver.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fivebar_control/support/monotonic_clock.hpp"

namespace fivebar_control::commission
{
namespace
{

/// Whatever happens in between, the motors end with zero volts.
class Disarming
{
public:
  explicit Disarming(MotorHardware & hardware) : hardware_(hardware) {}
  ~Disarming()
  {
    hardware_.write({0.0, 0.0});
    hardware_.disarm();
  }
  Disarming(const Disarming &) = delete;
  Disarming & operator=(const Disarming &) = delete;

private:
  MotorHardware & hardware_;
};

std::string refusal(HardwareError error, const std::string & explanation)
{
  return fmt::format(
    "the motors could not be armed: {}{}", to_string(error),
    explanation.empty() ? "" : " (" + explanation + ")");
}

}  // namespace

const char * joint_name(std::size_t joint) { return joint == 0 ? "1" : "4"; }

Driver::Driver(
  MotorHardware & hardware, double rate, const MotionLimits & limits,
  std::function<bool()> interrupted)
: hardware_(hardware),
  rate_(rate),
  limits_(limits),
  interrupted_(std::move(interrupted)),
  encoder_(hardware.encoder()),
  simulated_(hardware.clock() == HardwareClock::simulated)
{
}

double Driver::resolution(std::size_t joint) const
{
  return 2.0 * std::numbers::pi / std::abs(encoder_.counts_per_turn[static_cast<int>(joint)]);
}

Driver::Peaks Driver::take_peaks()
{
  const Peaks peaks = peaks_;
  peaks_ = {};
  return peaks;
}

Track Driver::drive(double duration, const Volts & volts, const Until & until)
{
  if (const HardwareError error = hardware_.arm(); error != HardwareError::none)
  {
    Track track;
    track.fault = refusal(error, hardware_.explanation());
    return track;
  }
  const Disarming disarming(hardware_);
  return cycle(duration, Writing::always, volts, until);
}

Track Driver::watch(double duration, const Until & until)
{
  return cycle(duration, Writing::nothing, nullptr, until);
}

Track Driver::be_silent(double duration, const Until & until)
{
  if (const HardwareError error = hardware_.arm(); error != HardwareError::none)
  {
    Track track;
    track.fault = refusal(error, hardware_.explanation());
    return track;
  }
  const Disarming disarming(hardware_);
  return cycle(
    duration, Writing::once, [](double) { return Eigen::Vector2d(0, 0); }, until);
}

Track Driver::wait_for_rest()
{
  Eigen::Vector2d last = Eigen::Vector2d::Zero();
  std::int64_t since_ns = 0;
  const Eigen::Vector2d tolerance(2.5 * resolution(0), 2.5 * resolution(1));
  return watch(5.0, [&](const TrackPoint & point) {
    if (since_ns == 0 || ((point.angle - last).cwiseAbs() - tolerance).maxCoeff() > 0.0)
    {
      last = point.angle;
      since_ns = point.time_ns;
    }
    return point.time_ns - since_ns > 200'000'000;
  });
}

Track Driver::cycle(double duration, Writing writing, const Volts & volts, const Until & until)
{
  Track track;
  encoder_ = hardware_.encoder();
  const auto cycles = static_cast<std::int64_t>(std::llround(duration * rate_));
  const auto period_ns = static_cast<std::int64_t>(std::llround(1e9 / rate_));
  track.points.reserve(static_cast<std::size_t>(std::max<std::int64_t>(cycles, 1)));
  const std::int64_t began_ns = monotonic_now_ns();
  last_write_ns_ = 0;
  int bad_in_a_row = 0;
  for (std::int64_t i = 0; i < cycles; ++i)
  {
    track.interrupted = interrupted_ && interrupted_();
    if (track.interrupted)
    {
      break;
    }
    TrackPoint point;
    const bool good = read(track, point, bad_in_a_row);
    if (good)
    {
      judge(track, point);
      track.points.push_back(point);
    }
    if (!track.fault.empty() || (good && until && until(point)))
    {
      break;
    }
    if (good && writing == Writing::always && (point.status & motor_status::armed) == 0U)
    {
      const std::string causes = describe_status(point.status);
      track.fault = fmt::format(
        "the device stopped driving: {}; the longest pause between two writes was {:.0f} ms",
        causes.empty() ? "not armed" : causes, 1e3 * track.longest_silence);
      break;
    }
    if (writing == Writing::always || (writing == Writing::once && i == 0))
    {
      write(track, good ? track.points.back() : point, static_cast<double>(i) / rate_, volts);
    }
    if (!track.fault.empty())
    {
      break;
    }
    if (!simulated_)
    {
      sleep_until_ns(began_ns + (i + 1) * period_ns);
    }
  }
  return track;
}

bool Driver::read(Track & track, TrackPoint & point, int & bad_in_a_row)
{
  MotorSample sample;
  const std::int64_t began_ns = monotonic_now_ns();
  const HardwareError error = hardware_.read(sample);
  read_times_.add(monotonic_now_ns() - began_ns);
  ++track.reads;
  point.status = sample.status;
  if (error != HardwareError::none)
  {
    ++track.bad_reads;
    if (++bad_in_a_row >= MotionLimits::most_bad_reads)
    {
      track.fault =
        fmt::format("{} reads in a row without a fresh sample: {}", bad_in_a_row, to_string(error));
    }
    return false;
  }
  bad_in_a_row = 0;
  point.time_ns = sample.time_ns;
  point.written_ns = sample.time_ns;
  point.angle = encoder_.angle(sample);
  return true;
}

void Driver::judge(Track & track, const TrackPoint & point)
{
  if (track.points.empty())
  {
    return;
  }
  const TrackPoint & last = track.points.back();
  const double periods =
    std::max(1.0, 1e-9 * static_cast<double>(point.time_ns - last.time_ns) * rate_);
  const std::size_t count = track.points.size();
  const std::size_t back = std::min<std::size_t>(count, MotionLimits::speed_window);
  const TrackPoint & earlier = track.points[count - back];
  const double span = 1e-9 * static_cast<double>(point.time_ns - earlier.time_ns);
  for (std::size_t joint = 0; joint < 2; ++joint)
  {
    const auto i = static_cast<int>(joint);
    const double jump = std::abs(point.angle[i] - last.angle[i]);
    const double excursion = std::abs(point.angle[i] - track.points.front().angle[i]);
    const double speed = back == MotionLimits::speed_window && span > 0.0
                           ? std::abs(point.angle[i] - earlier.angle[i]) / span
                           : 0.0;
    peaks_.excursion = std::max(peaks_.excursion, excursion);
    peaks_.speed = std::max(peaks_.speed, speed);
    if (jump > limits_.jump * periods)
    {
      track.fault = fmt::format(
        "encoder {} jumped by {:.3f} rad within {:.0f} ms, which no link can: check the cable, the "
        "plug and the supply of encoder {}, and its shield",
        joint_name(joint), jump, 1e3 * periods / rate_, joint_name(joint));
    }
    else if (excursion > limits_.excursion)
    {
      track.fault = fmt::format(
        "joint {} turned by {:.3f} rad, further than the {:.2f} rad that these volts can be meant "
        "to turn it: counts per turn too small, or the robot moves on its own",
        joint_name(joint), excursion, limits_.excursion);
    }
    else if (speed > limits_.speed)
    {
      track.fault = fmt::format(
        "joint {} shows {:.1f} rad/s, more than {:.1f} rad/s: counts per turn too small, or "
        "something else moves the robot",
        joint_name(joint), speed, limits_.speed);
    }
  }
}

void Driver::write(Track & track, TrackPoint & point, double time, const Volts & volts)
{
  point.volts = volts(time).cwiseMax(-limits_.volts).cwiseMin(limits_.volts);
  if (!point.volts.allFinite())
  {
    point.volts.setZero();
  }
  if (!simulated_)
  {
    point.written_ns = monotonic_now_ns();
    const double silence = 1e-9 * static_cast<double>(point.written_ns - last_write_ns_);
    track.longest_silence = std::max(track.longest_silence, last_write_ns_ == 0 ? 0.0 : silence);
    last_write_ns_ = point.written_ns;
  }
  peaks_.volts = std::max(peaks_.volts, point.volts.cwiseAbs().maxCoeff());
  if (const HardwareError error = hardware_.write(point.volts); error != HardwareError::none)
  {
    track.fault = fmt::format("the volts could not be written: {}", to_string(error));
  }
}

}  // namespace fivebar_control::commission
