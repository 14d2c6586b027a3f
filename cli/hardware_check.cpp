#include "hardware_check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fivebar_control/support/monotonic_clock.hpp"

namespace fivebar_control
{
namespace
{

using Say = std::function<void(const std::string &)>;

/// Calls `cycle` once per period for `duration` seconds, or until it returns false.
template <class Cycle>
void paced(double duration, double rate, Cycle && cycle)
{
  const std::int64_t start = monotonic_now_ns();
  const auto period = static_cast<std::int64_t>(std::llround(1e9 / rate));
  const auto cycles = static_cast<std::int64_t>(std::llround(duration * rate));
  for (std::int64_t i = 0; i < cycles; ++i)
  {
    if (!cycle())
    {
      return;
    }
    sleep_until_ns(start + (i + 1) * period);
  }
}

const char * joint_name(std::size_t joint) { return joint == 0 ? "1" : "4"; }

void check_communication(
  MotorHardware & hardware, const HardwareCheckOptions & o, std::vector<CheckResult> & results)
{
  std::int64_t reads = 0;
  std::int64_t failed = 0;
  TimeHistogram duration;
  paced(o.communication_time, o.rate, [&] {
    MotorSample sample;
    const std::int64_t began = monotonic_now_ns();
    failed += hardware.read(sample) == HardwareError::none ? 0 : 1;
    duration.add(monotonic_now_ns() - began);
    ++reads;
    return true;
  });
  const LinkStatistics * link = hardware.statistics();
  const TimeHistogram & times = link != nullptr ? link->round_trip : duration;
  const double median = 1e-9 * static_cast<double>(times.quantile(0.5));
  const double jitter = 1e-9 * static_cast<double>(times.quantile(0.99)) - median;
  const double share =
    static_cast<double>(failed) / static_cast<double>(std::max<std::int64_t>(reads, 1));
  results.push_back(
    {"round trip, median", fmt::format("{:.0f} us", 1e6 * median),
     fmt::format("<= {:.0f} us", 1e6 * o.largest_median),
     times.count() > 0 && median <= o.largest_median});
  results.push_back(
    {"round trip, jitter (p99 - median)", fmt::format("{:.0f} us", 1e6 * jitter),
     fmt::format("<= {:.0f} us", 1e6 * o.largest_jitter),
     times.count() > 0 && jitter <= o.largest_jitter});
  results.push_back(
    {"reads without a fresh sample", fmt::format("{} of {}", failed, reads),
     fmt::format("<= {:.1f} %", 100.0 * o.stale_share), share <= o.stale_share});
  if (link != nullptr)
  {
    results.push_back(
      {"frames lost or damaged",
       fmt::format("{}", link->lost + link->lost_at_device + link->bad_frames), "0",
       link->lost + link->lost_at_device + link->bad_frames == 0});
  }
}

void check_turning(
  MotorHardware & hardware, const HardwareCheckOptions & o, const Say & say,
  std::vector<CheckResult> & results)
{
  const Encoder encoder = hardware.encoder();
  Eigen::Vector2d lowest = Eigen::Vector2d::Zero();
  Eigen::Vector2d highest = lowest;
  Eigen::Vector2d first = lowest;
  bool started = false;
  if (o.turn_time > 0.0)
  {
    say(fmt::format(
      "Turn both driven links by hand, {:.2f} rad to each side, within {:.0f} s ...", o.turn_angle,
      o.turn_time));
    paced(o.turn_time, o.rate, [&] {
      MotorSample sample;
      if (hardware.read(sample) != HardwareError::none)
      {
        return true;
      }
      const Eigen::Vector2d angle = encoder.angle(sample);
      if (!started)
      {
        first = lowest = highest = angle;
      }
      started = true;
      lowest = lowest.cwiseMin(angle);
      highest = highest.cwiseMax(angle);
      return std::min((highest - first).minCoeff(), (first - lowest).minCoeff()) < o.turn_angle;
    });
  }
  for (std::size_t i = 0; i < 2; ++i)
  {
    const double up = highest[i] - first[i];
    const double down = first[i] - lowest[i];
    results.push_back(
      {fmt::format("encoder {}, turned by hand", joint_name(i)),
       fmt::format("{:+.3f} {:+.3f} rad", up, -down),
       fmt::format(">= {:.2f} rad both ways", o.turn_angle),
       up >= o.turn_angle && down >= o.turn_angle, o.turn_time <= 0.0});
  }
}

/// Drives the motors one after the other, until something stops them.
class PulseDriver
{
public:
  PulseDriver(MotorHardware & hardware, const HardwareCheckOptions & options)
  : hardware_(hardware), options_(options), encoder_(hardware.encoder())
  {
  }

  /// To be called right before arming: from then on the device waits for writes.
  void begin() { written_ns_ = monotonic_now_ns(); }

  /// One motor for a while; returns how far its link turned, 0 once something has stopped them.
  double pulse(std::size_t joint, double volts)
  {
    Eigen::Vector2d output = Eigen::Vector2d::Zero();
    output[joint] = volts;
    double first = 0.0;
    double last = 0.0;
    bool started = false;
    paced(ended_by_.empty() ? options_.pulse_time : 0.0, options_.rate, [&] {
      MotorSample sample;
      if (hardware_.read(sample) == HardwareError::none)
      {
        last = encoder_.angle(sample)[joint];
        first = started ? first : last;
        started = true;
        if ((sample.status & motor_status::armed) == 0U)
        {
          const std::string causes = describe_status(sample.status);
          ended_by_ = causes.empty() ? "not armed" : causes;
        }
      }
      const HardwareError written = hardware_.write(output);
      const std::int64_t now_ns = monotonic_now_ns();
      silence_ns_ = std::max(silence_ns_, now_ns - written_ns_);
      written_ns_ = now_ns;
      if (ended_by_.empty() && written != HardwareError::none)
      {
        ended_by_ = to_string(written);
      }
      return ended_by_.empty();
    });
    return last - first;
  }

  bool was_stopped() const { return !ended_by_.empty(); }

  /// What stopped a pulse, or nothing. With the longest silence of our own, because a machine that
  /// did not let us run looks like a device that stopped.
  std::string stopped_by() const
  {
    return ended_by_.empty() ? ""
                             : fmt::format(
                                 "; stopped: {} after at most {} ms without a write of ours",
                                 ended_by_, silence_ns_ / 1'000'000);
  }

private:
  MotorHardware & hardware_;
  const HardwareCheckOptions & options_;
  const Encoder encoder_;
  std::string ended_by_;
  std::int64_t written_ns_ = 0;
  std::int64_t silence_ns_ = 0;
};

/// Hands take a moment to leave: until no count changes for half a second, at most ten seconds.
void wait_for_rest(MotorHardware & hardware, const HardwareCheckOptions & o)
{
  MotorSample before;
  std::int64_t moved_ns = monotonic_now_ns();
  paced(10.0, o.rate, [&] {
    MotorSample sample;
    const bool good = hardware.read(sample) == HardwareError::none;
    if (good && sample.counts != before.counts)
    {
      before = sample;
      moved_ns = monotonic_now_ns();
    }
    return monotonic_now_ns() - moved_ns < 500'000'000;
  });
}

void check_pulses(
  MotorHardware & hardware, const HardwareCheckOptions & o, const Say & say,
  std::vector<CheckResult> & results)
{
  const bool skipped = o.pulse_voltage <= 0.0;
  PulseDriver driver(hardware, o);
  HardwareError armed = HardwareError::none;
  if (!skipped)
  {
    say(fmt::format(
      "Hands off: each motor now gets {:+.2f} V and {:+.2f} V for {:.2f} s.", o.pulse_voltage,
      -o.pulse_voltage, o.pulse_time));
    wait_for_rest(hardware, o);
    driver.begin();
    armed = hardware.arm();
    results.push_back({"arming", to_string(armed), "none", armed == HardwareError::none});
  }
  const bool driven = !skipped && armed == HardwareError::none;
  for (std::size_t i = 0; i < 2; ++i)
  {
    const double up = driven ? driver.pulse(i, o.pulse_voltage) : 0.0;
    const double down = driven ? driver.pulse(i, -o.pulse_voltage) : 0.0;
    results.push_back(
      {fmt::format("motor {}, {:.1f} V pulses", joint_name(i), o.pulse_voltage),
       fmt::format("{:+.3f} {:+.3f} rad{}", up, down, driver.stopped_by()),
       fmt::format(">= {:.3f} rad with the volts' sign", o.pulse_angle),
       driven && !driver.was_stopped() && up >= o.pulse_angle && down <= -o.pulse_angle, skipped});
  }
}

/// Armed at zero volts, then silent: the device must say that it noticed.
void check_watchdog(
  MotorHardware & hardware, const HardwareCheckOptions & o, std::vector<CheckResult> & results)
{
  const bool skipped = o.pulse_voltage <= 0.0;
  double tripped_after = -1.0;
  if (!skipped && hardware.arm() == HardwareError::none)
  {
    hardware.write({0.0, 0.0});
    const std::int64_t silent = monotonic_now_ns();
    paced(0.2, o.rate, [&] {
      MotorSample sample;
      if (
        hardware.read(sample) == HardwareError::none &&
        (sample.status & motor_status::watchdog_tripped) != 0U)
      {
        tripped_after = static_cast<double>(monotonic_now_ns() - silent) * 1e-9;
      }
      return tripped_after < 0.0;
    });
    hardware.disarm();
  }
  results.push_back(
    {"watchdog, after silence of ours",
     tripped_after < 0.0 ? "did not trip" : fmt::format("{:.0f} ms", 1e3 * tripped_after),
     fmt::format("<= {:.0f} ms", 1e3 * o.watchdog_time),
     tripped_after >= 0.0 && tripped_after <= o.watchdog_time, skipped});
}

}  // namespace

std::vector<CheckResult> check_hardware(
  MotorHardware & hardware, const HardwareCheckOptions & options, const Say & say)
{
  std::vector<CheckResult> results;
  HardwareError opened = hardware.open();
  if (opened == HardwareError::none)
  {
    opened = hardware.home([] { return false; });
  }
  const std::string explanation = hardware.explanation();
  results.push_back(
    {"opening " + hardware.description(),
     opened == HardwareError::none || explanation.empty()
       ? to_string(opened)
       : fmt::format("{} ({})", to_string(opened), explanation),
     "none", opened == HardwareError::none});
  if (opened != HardwareError::none)
  {
    return results;
  }
  check_communication(hardware, options, results);
  check_turning(hardware, options, say, results);
  check_pulses(hardware, options, say, results);
  check_watchdog(hardware, options, results);
  hardware.disarm();
  hardware.close();
  return results;
}

}  // namespace fivebar_control
