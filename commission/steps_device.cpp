// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fivebar_control/commission/bench.hpp"

namespace fivebar_control::commission
{
namespace
{

constexpr double degrees = 180.0 / std::numbers::pi;

void judge_round_trips(Bench & bench, StepResult & result)
{
  const Settings & settings = bench.settings;
  const LinkStatistics * link = bench.driver.hardware().statistics();
  const TimeHistogram & times = link != nullptr ? link->round_trip : bench.driver.read_times();
  const double median = 1e-9 * static_cast<double>(times.quantile(0.5));
  const double jitter = 1e-9 * static_cast<double>(times.quantile(0.99)) - median;
  result.add(
    {"round trip, median", fmt::format("{:.0f} us", 1e6 * median),
     fmt::format("<= {:.0f} us", 1e6 * settings.largest_median),
     times.count() > 0 && median <= settings.largest_median, false, median, "s"});
  result.add(
    {"round trip, jitter (p99 - median)", fmt::format("{:.0f} us", 1e6 * jitter),
     fmt::format("<= {:.0f} us", 1e6 * settings.largest_jitter),
     times.count() > 0 && jitter <= settings.largest_jitter, false, jitter, "s"});
  if (result.end == StepEnd::failed)
  {
    result.fail(
      "The connection is too slow or too uneven: give the program real-time priority, keep the "
      "machine quiet, use a USB latency of 1 ms (docs/operation.md, docs/hardware.md).");
  }
  if (link != nullptr)
  {
    const std::int64_t lost = link->lost + link->lost_at_device + link->bad_frames;
    result.add(
      {"frames lost or damaged", fmt::format("{}", lost), "0", lost == 0, false,
       static_cast<double>(lost), ""});
    if (lost > 0)
    {
      result.fail("Frames are lost or damaged on the line: check cable, shield and baud rate.");
    }
  }
}

/// How often a joint that stands still shows another count.
void judge_rest(Bench & bench, const Track & track, std::size_t joint, StepResult & result)
{
  const auto i = static_cast<int>(joint);
  std::int64_t changes = 0;
  double lowest = track.points.front().angle[i];
  double highest = lowest;
  for (std::size_t k = 1; k < track.points.size(); ++k)
  {
    changes += track.points[k].angle[i] != track.points[k - 1].angle[i] ? 1 : 0;
    lowest = std::min(lowest, track.points[k].angle[i]);
    highest = std::max(highest, track.points[k].angle[i]);
  }
  const double share = static_cast<double>(changes) / static_cast<double>(track.points.size());
  const double counts = (highest - lowest) / bench.driver.resolution(joint);
  const double moved = std::abs(track.moved()[i]);
  const bool restless = share > bench.settings.largest_unrest;
  const bool moving = moved > bench.settings.clear_motion;
  result.add(
    {fmt::format("encoder {} at rest", joint_name(joint)),
     fmt::format("changes in {:.1f} % of reads, {:.0f} counts", 100.0 * share, counts),
     fmt::format("<= {:.0f} %", 100.0 * bench.settings.largest_unrest), !restless && !moving, false,
     share, ""});
  if (moving)
  {
    result.fail(fmt::format(
      "Link {} moves although its motor has no volts: let go of it, or support it, and repeat.",
      joint_name(joint)));
  }
  else if (restless)
  {
    result.fail(fmt::format(
      "Encoder {} toggles although nothing moves ({:.0f} counts, in {:.0f} % of the reads): turn "
      "the link a little and repeat; if it goes on, check shield, ground and supply of encoder {}, "
      "or replace it.",
      joint_name(joint), counts, 100.0 * share, joint_name(joint)));
  }
}

/// For devices that are not told of their emergency stop: it must keep volts from the motors.
void check_that_nothing_moves(Bench & bench, StepResult & result)
{
  const double volts = bench.settings.limits.volts;
  for (std::size_t joint = 0; joint < 2; ++joint)
  {
    const Track track = require_good(
      bench.driver.drive(
        0.3,
        [&](double time) {
          Eigen::Vector2d output = Eigen::Vector2d::Zero();
          output[static_cast<int>(joint)] = time < 0.06 ? volts : 0.0;
          return output;
        }),
      result);
    const double moved = track.moved().cwiseAbs().maxCoeff();
    result.add(
      {fmt::format("motor {} with the emergency stop pressed", joint_name(joint)),
       fmt::format("{:.3f} rad at {:.2f} V", moved, volts),
       fmt::format("< {:.2f} rad", bench.settings.clear_motion),
       moved < bench.settings.clear_motion, false, moved, "rad"});
    if (moved >= bench.settings.clear_motion)
    {
      result.fail(fmt::format(
        "Motor {} moves although the emergency stop is pressed: it must cut the supply of both "
        "bridges, or be wired to the board's input.",
        joint_name(joint)));
    }
  }
}

/// The board saw it: it must not drive by itself, nor be made to.
void judge_reported_stop(Bench & bench, const TrackPoint & point, StepResult & result)
{
  const bool off = (point.status & motor_status::armed) == 0U;
  result.add({"reported, and the board disarms itself", off ? "yes" : "still armed", "yes", off});
  const HardwareError armed = bench.driver.hardware().arm();
  bench.driver.hardware().disarm();
  result.add(
    {"arming while it is pressed", armed == HardwareError::none ? "armed" : "refused", "refused",
     armed != HardwareError::none});
  if (result.end == StepEnd::failed)
  {
    result.fail(
      "The board knows of the emergency stop and drives all the same: this firmware must not be "
      "used.");
  }
}

/// For devices that are not told of their emergency stop.
void judge_silent_stop(Bench & bench, StepResult & result)
{
  const std::string answer = ask(
    bench,
    {"emergency_stop.silent",
     "The device reports no emergency stop. Is it pressed now, and does it cut the supply of the "
     "motors (cuts), or is there none (none)? With 'cuts' each motor gets a short pulse, and "
     "nothing may move.",
     {"cuts", "none"}});
  result.add(
    {"emergency stop", answer == "cuts" ? "cuts the supply" : "none", "one that works",
     answer == "cuts"});
  if (answer == "none")
  {
    result.fail(
      "The device reports no emergency stop within the time, and there is none that cuts the "
      "supply: connect one before the motors get volts.");
    throw StepFailed{};
  }
  check_that_nothing_moves(bench, result);
}

}  // namespace

void check_connection(Bench & bench, StepResult & result)
{
  const Settings & settings = bench.settings;
  const Track track = require_good(bench.driver.watch(settings.communication_time), result);
  if (bench.driver.hardware().clock() == HardwareClock::monotonic)
  {
    judge_round_trips(bench, result);
  }
  const double share = static_cast<double>(track.bad_reads) /
                       static_cast<double>(std::max<std::int64_t>(track.reads, 1));
  result.add(
    {"reads without a fresh sample", fmt::format("{} of {}", track.bad_reads, track.reads),
     fmt::format("<= {:.1f} %", 100.0 * settings.stale_share), share <= settings.stale_share, false,
     share, ""});
  if (share > settings.stale_share)
  {
    result.fail("Too many reads came back without a fresh sample: check line and machine.");
  }
  for (std::size_t joint = 0; joint < 2 && !track.points.empty(); ++joint)
  {
    judge_rest(bench, track, joint, result);
  }
}

void take_pose(Bench & bench, StepResult & result)
{
  const Eigen::Vector2d home = bench.robot.parameters().home;
  ask(
    bench,
    {"pose.ready",
     fmt::format(
       "Turn the links by hand to the robot's home: driven link 1 at {:.0f} degrees, driven link 4 "
       "at {:.0f} degrees, counter-clockwise from the line from pivot 1 to pivot 4. Are they "
       "there?",
       degrees * home[0], degrees * home[1]),
     {"yes"},
     true});
  MotorHardware & hardware = bench.driver.hardware();
  hardware.close();
  const HardwareError error = hardware.open();
  const std::string why = hardware.explanation();
  result.add(
    {"opened at home",
     error == HardwareError::none
       ? std::string("yes")
       : fmt::format("{}{}", to_string(error), why.empty() ? "" : " (" + why + ")"),
     "yes", error == HardwareError::none});
  if (error != HardwareError::none)
  {
    result.fail(fmt::format("The device could not be opened: {}.", to_string(error)));
    throw StepFailed{};
  }
  require_good(bench.driver.wait_for_rest(), result);
}

void check_emergency_stop(Bench & bench, StepResult & result)
{
  const Settings & settings = bench.settings;
  const auto is_pressed = [](const TrackPoint & point) {
    return (point.status & motor_status::emergency_stop) != 0U;
  };
  bench.person.tell(
    "emergency_stop.press",
    fmt::format(
      "The motors are armed at zero volts. Press the emergency stop now, within {:.0f} s, and "
      "leave it pressed.",
      settings.person_time));
  const Track track = require_good(
    bench.driver.drive(
      settings.person_time, [](double) { return Eigen::Vector2d(0, 0); }, is_pressed),
    result);
  if (!track.points.empty() && is_pressed(track.points.back()))
  {
    judge_reported_stop(bench, track.points.back(), result);
  }
  else
  {
    judge_silent_stop(bench, result);
  }
  ask(
    bench,
    {"emergency_stop.released", "Release the emergency stop. Is it released?", {"yes"}, true});
  require_good(
    bench.driver.watch(5.0, [&](const TrackPoint & point) { return !is_pressed(point); }), result);
  const HardwareError armed = bench.driver.hardware().arm();
  bench.driver.hardware().disarm();
  result.add(
    {"arming after its release", armed == HardwareError::none ? "armed" : to_string(armed), "armed",
     armed == HardwareError::none});
  if (armed != HardwareError::none)
  {
    result.fail(
      "The device does not arm although the emergency stop is released: " +
      bench.driver.hardware().explanation() + ".");
  }
}

void check_watchdog(Bench & bench, StepResult & result)
{
  const Settings & settings = bench.settings;
  const auto tripped = [](const TrackPoint & point) {
    return (point.status & motor_status::watchdog_tripped) != 0U;
  };
  const Track track = require_good(bench.driver.be_silent(0.2, tripped), result);
  const bool has = !track.points.empty() && tripped(track.points.back());
  const double after =
    has ? 1e-9 * static_cast<double>(track.points.back().time_ns - track.points.front().written_ns)
        : -1.0;
  if (!has && bench.calibration.comedi.accept_no_watchdog)
  {
    const std::string answer = ask(
      bench,
      {"watchdog.amplifier",
       "The card has no watchdog. Does the amplifier drop out by itself when the program dies, by "
       "an enable line or hardware of its own, and has someone tried it?",
       {"yes", "no"}});
    result.add({"the amplifier drops out by itself", answer, "yes", answer == "yes"});
  }
  else
  {
    result.add(
      {"watchdog, after silence of ours",
       has ? fmt::format("{:.0f} ms", 1e3 * after) : std::string("did not trip"),
       fmt::format("<= {:.0f} ms", 1e3 * settings.watchdog_time),
       has && after <= settings.watchdog_time, false, after, "s"});
  }
  if (result.end == StepEnd::failed)
  {
    result.fail(
      "The device does not go to zero volts by itself, or too late, when the program falls silent: "
      "this is what saves the robot when the computer dies. Update the firmware, or add hardware "
      "that does it.");
  }
}

}  // namespace fivebar_control::commission
