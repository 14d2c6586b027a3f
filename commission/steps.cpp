// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>

#include "fivebar_control/commission/bench.hpp"

namespace fivebar_control::commission
{
namespace
{

/// Where a link stands that someone holds at its stop; nothing if there is no stop.
std::optional<double> angle_at_stop(Bench & bench, std::size_t joint, bool up, StepResult & result)
{
  const std::string answer = ask(
    bench,
    {fmt::format("end_stops.link_{}_{}", joint_name(joint), up ? "ccw" : "cw"),
     fmt::format(
       "Turn driven link {} by hand {} until its stop, slowly, without folding or stretching "
       "the linkage, and hold it there (there), or say that it has none on this side (none).",
       joint_name(joint), up ? "counter-clockwise" : "clockwise"),
     {"there", "none"}});
  if (answer == "none")
  {
    return std::nullopt;
  }
  const Track track = require_good(bench.driver.watch(0.05), result);
  return track.points.empty() ? std::nullopt
                              : std::optional(track.points.back().angle[static_cast<int>(joint)]);
}

void judge_stop(Bench & bench, std::size_t joint, bool up, double angle, StepResult & result)
{
  const auto i = static_cast<int>(joint);
  const char * name = joint_name(joint);
  const Limits & limits = bench.robot.limits();
  const double limit = up ? limits.joint_maximum[i] : limits.joint_minimum[i];
  const bool behind = up ? angle >= limit : angle <= limit;
  const char * side = up ? "ccw" : "cw";
  result.add(
    {fmt::format("link {}, {} stop", name, side), fmt::format("{:+.3f} rad", angle),
     fmt::format("{} {:+.3f} rad, the software's limit", up ? ">=" : "<=", limit), behind, false,
     angle, "rad"});
  if (!behind)
  {
    result.fail(fmt::format(
      "The software lets joint {} go to {:+.3f} rad, but its {} stop is at {:+.3f} rad: narrow "
      "'limits: phi{}' in the robot file to at most {:+.3f} rad there.",
      name, limit, side, angle, name, angle + (up ? -0.05 : 0.05)));
  }
  const Homing & homing = bench.calibration.homing;
  if (homing.method == HomingMethod::end_stop && (homing.voltage[i] > 0.0) == up)
  {
    const double difference = angle - homing.angle[i];
    const bool near = std::abs(difference) <= 0.05;
    result.add(
      {fmt::format("link {}, homing stop", name), fmt::format("{:+.3f} rad off", difference),
       "<= 0.05 rad", near, false, difference, "rad"});
    if (!near)
    {
      result.fail(fmt::format(
        "The calibration '{}' has the homing stop of joint {} at {:+.3f} rad, it is at {:+.3f} "
        "rad: "
        "set 'homing: phi{}: {:.3f}'.",
        bench.calibration.name, name, homing.angle[i], angle, name, angle));
    }
  }
}

}  // namespace

void check_end_stops(Bench & bench, StepResult & result)
{
  const std::string present = ask(
    bench, {"end_stops.present",
            "The motors are off. Has the robot mechanical end stops (yes), or none (none)?",
            {"yes", "none"}});
  if (present == "none")
  {
    result.add({"end stops", "none", "", false, true});
    result.end = StepEnd::skipped;
    if (bench.calibration.homing.method == HomingMethod::end_stop)
    {
      result.fail(fmt::format(
        "There are no end stops, but the calibration '{}' homes against them: choose another "
        "'homing: method'.",
        bench.calibration.name));
    }
    return;
  }
  for (std::size_t joint = 0; joint < 2; ++joint)
  {
    for (const bool up : {true, false})
    {
      if (const auto angle = angle_at_stop(bench, joint, up, result))
      {
        judge_stop(bench, joint, up, *angle, result);
      }
    }
  }
}

const std::vector<Step> & steps()
{
  static const std::vector<Step> all{
    {"connection", "Connection and encoders at rest",
     "No volts. The program reads the encoders while nothing moves: round trips, lost frames, and "
     "counts that change by themselves. Keep your hands off.",
     false, false, [](Bench & b, StepResult & r) { check_connection(b, r); }},
    {"pose", "Home pose",
     "No volts. You turn the links to the robot's home; the later steps count from there. Repeated "
     "whenever the procedure is resumed.",
     false, false, [](Bench & b, StepResult & r) { take_pose(b, r); }},
    {"emergency_stop", "Emergency stop",
     "Armed at zero volts. You press the emergency stop: the board must see it, disarm by itself "
     "and "
     "refuse to arm. A stop that only cuts the supply is tried with short pulses, which may move "
     "nothing.",
     false, false, [](Bench & b, StepResult & r) { check_emergency_stop(b, r); }},
    {"watchdog", "Watchdog",
     "Armed at zero volts. The program falls silent on purpose: the device must go to zero volts "
     "by "
     "itself.",
     false, false, [](Bench & b, StepResult & r) { check_watchdog(b, r); }},
    {"direction_1", "Motor 1 and its encoder: which, and which way",
     "Motor 1 gets pulses of 0.15 s, forth and back, from 0.3 V upwards until an encoder shows "
     "them. "
     "You say which link moved, and which way. Link 1 turns by less than 20 degrees.",
     true, false, [](Bench & b, StepResult & r) { check_direction(b, r, 0); }},
    {"direction_4", "Motor 4 and its encoder: which, and which way", "The same with motor 4.", true,
     true, [](Bench & b, StepResult & r) { check_direction(b, r, 1); }},
    {"dead_band_1", "Joint 1: dead band",
     "The volts of motor 1 rise by 0.02 V every 0.15 s until its link begins to move, both ways.",
     true, false, [](Bench & b, StepResult & r) { measure_dead_band(b, r, 0); }},
    {"dead_band_4", "Joint 4: dead band", "The same with motor 4.", true, true,
     [](Bench & b, StepResult & r) { measure_dead_band(b, r, 1); }},
    {"response_1", "Joint 1: counts per turn, friction and delay against the model",
     "Motor 1 swings its link forth and back for 1.9 s at about 1 V, by some 10 degrees. Speed and "
     "acceleration per volt must be the model's; friction and delay are measured.",
     true, false, [](Bench & b, StepResult & r) { measure_response(b, r, 0); }},
    {"response_4", "Joint 4: counts per turn, friction and delay against the model",
     "The same with motor 4.", true, true,
     [](Bench & b, StepResult & r) { measure_response(b, r, 1); }},
    {"end_stops", "End stops",
     "No volts. You turn each link to its stops: the software's limits must lie inside them.",
     false, false, [](Bench & b, StepResult & r) { check_end_stops(b, r); }},
  };
  return all;
}

const std::vector<std::string> & question_keys()
{
  static const std::vector<std::string> keys{
    "pose.ready",           "emergency_stop.silent", "emergency_stop.released",
    "watchdog.amplifier",   "direction_1.seen",      "direction_4.seen",
    "end_stops.present",    "end_stops.link_1_ccw",  "end_stops.link_1_cw",
    "end_stops.link_4_ccw", "end_stops.link_4_cw"};
  return keys;
}

const Step * find_step(const std::string & name)
{
  for (const Step & step : steps())
  {
    if (step.name == name)
    {
      return &step;
    }
  }
  return nullptr;
}

}  // namespace fivebar_control::commission
