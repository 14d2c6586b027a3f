// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "fivebar_control/commission/bench.hpp"

namespace fivebar_control::commission
{
namespace
{

// The staircase of the dead band.
constexpr double stair_volts = 0.02;
constexpr double stair_time = 0.15;  // s

// How far from the model a joint may be; a wrong factor of 2 is far outside.
constexpr double lowest_ratio = 0.7;
constexpr double highest_ratio = 1.4;

/// Volts at which the joint begins to move, 0 if it does not.
double break_away(Bench & bench, std::size_t joint, double sign, StepResult & result)
{
  const auto i = static_cast<int>(joint);
  const double limit = bench.settings.limits.volts;
  const double threshold = std::max(2.0 * bench.driver.resolution(joint), 2e-3) * 0.99;
  int stair = -1;
  double at_stair = 0.0;
  double found = 0.0;
  std::int64_t began_ns = 0;
  const auto stair_at = [](double time) { return static_cast<int>(time / stair_time + 1e-9); };
  const auto volts_of = [](int number) { return stair_volts * (number + 1); };
  require_good(
    bench.driver.drive(
      limit / stair_volts * stair_time,
      [&](double time) {
        Eigen::Vector2d output = Eigen::Vector2d::Zero();
        output[i] = sign * volts_of(stair_at(time));
        return output;
      },
      [&](const TrackPoint & point) {
        began_ns = began_ns == 0 ? point.time_ns : began_ns;
        const int now = stair_at(1e-9 * static_cast<double>(point.time_ns - began_ns));
        if (now != stair)
        {
          stair = now;
          at_stair = point.angle[i];
        }
        if (sign * (point.angle[i] - at_stair) >= threshold)
        {
          found = volts_of(stair);
        }
        return found > 0.0;
      }),
    result);
  require_good(bench.driver.wait_for_rest(), result);
  return found;
}

struct Piece
{
  double duration, factor;
};
// Forth and back, so that the joint stays near its place: strong, then gentle, so that viscous and
// dry friction show differently.
constexpr std::array<Piece, 12> pieces{
  {{0.1, 1.0},
   {0.2, -1.0},
   {0.2, 1.0},
   {0.2, -1.0},
   {0.1, 1.0},
   {0.15, 0.0},
   {0.1, 0.5},
   {0.2, -0.5},
   {0.2, 0.5},
   {0.2, -0.5},
   {0.1, 0.5},
   {0.15, 0.0}}};

double factor_at(double time)
{
  for (const Piece & piece : pieces)
  {
    if (time < piece.duration - 1e-9)
    {
      return piece.factor;
    }
    time -= piece.duration;
  }
  return 0.0;
}

/// The factor by which someone probably got it wrong: 0.5, 2 and so on, or the measured one.
double likely_factor(double measured)
{
  for (const double factor : {0.25, 0.5, 2.0, 4.0})
  {
    if (std::abs(std::log(measured / factor)) < 0.25)
    {
      return factor;
    }
  }
  return measured;
}

void judge_against_model(
  Bench & bench, std::size_t joint, const JointResponse & response, StepResult & result)
{
  const char * name = joint_name(joint);
  const auto i = static_cast<int>(joint);
  const DynamicsConstants<double> & model = bench.robot.constants();
  const double speed_ratio = model.damping[i] / response.damping;
  const double acceleration_ratio = 1.0 / response.inertia_scale;
  const auto inside = [](double ratio) { return ratio >= lowest_ratio && ratio <= highest_ratio; };
  const std::string limit = fmt::format("{} .. {} of the model's", lowest_ratio, highest_ratio);
  result.add(
    {fmt::format("joint {}, speed per volt", name),
     fmt::format(
       "{:.3f} rad/s/V, {:.2f} of the model's", model.torque_gain[i] / response.damping,
       speed_ratio),
     limit, inside(speed_ratio), false, speed_ratio, ""});
  result.add(
    {fmt::format("joint {}, acceleration per volt", name),
     fmt::format("{:.2f} of the model's", acceleration_ratio), limit, inside(acceleration_ratio),
     false, acceleration_ratio, ""});
  const bool too_little = std::max(speed_ratio, acceleration_ratio) < 1.0;
  const bool too_much = std::min(speed_ratio, acceleration_ratio) > 1.0;
  const double common = std::sqrt(speed_ratio * acceleration_ratio);
  const JointCalibration & calibration = bench.calibration.joints[joint];
  if (!inside(common) && (too_little || too_much))
  {
    const double factor = likely_factor(common);
    result.fail(fmt::format(
      "Counts per turn: joint {} shows {:.2f} times the model's speed and acceleration alike, as "
      "if "
      "a turn had {:.0f} counts and not {:.0f}. Set 'joint_{}: counts_per_revolution: {:.0f}' (or "
      "its "
      "'gear') in the calibration '{}'. If the counts are right (turn the link by hand by a known "
      "angle), the motor gets {:.2f} times its volts: see 'output_per_volt' and the supply.",
      name, common, factor * std::abs(calibration.counts_per_turn()),
      std::abs(calibration.counts_per_turn()), name, factor * calibration.counts_per_revolution,
      bench.calibration.name, factor));
  }
  else if (!inside(speed_ratio))
  {
    result.fail(fmt::format(
      "Joint {} runs at {:.2f} times the speed of the model under the same volts, but accelerates "
      "like it: look for a rubbing bearing or gear, or correct damping and friction in the robot "
      "file.",
      name, speed_ratio));
  }
  else if (!inside(acceleration_ratio))
  {
    result.fail(fmt::format(
      "Joint {} accelerates at {:.2f} times the model's rate, but runs at its speed: masses and "
      "inertias of the robot file are not this robot's (an added load, the rotor's inertia).",
      name, acceleration_ratio));
  }
}

void judge_friction_and_delay(
  Bench & bench, std::size_t joint, const JointResponse & response, double motion,
  StepResult & result)
{
  const char * name = joint_name(joint);
  const auto i = static_cast<int>(joint);
  const DynamicsConstants<double> & model = bench.robot.constants();
  const double viscous =
    response.damping - model.damping[i] + bench.robot.physics().friction[joint].viscous;
  const double coulomb_volts = response.coulomb / model.torque_gain[i];
  result.add(
    {fmt::format("joint {}, viscous friction", name),
     fmt::format("{:+.4f} N m s/rad besides the motor's", viscous), "", true, false, viscous,
     "N m s/rad"});
  result.add(
    {fmt::format("joint {}, Coulomb friction", name),
     fmt::format("{:.4f} N m ({:.2f} V)", response.coulomb, coulomb_volts),
     fmt::format("<= {:.1f} V", bench.settings.largest_dead_band),
     coulomb_volts <= bench.settings.largest_dead_band, false, response.coulomb, "N m"});
  result.add(
    {fmt::format("joint {}, delay", name),
     fmt::format(
       "{:.2f} ms, {:.2f} cycles", 1e3 * response.delay, response.delay * bench.settings.rate),
     fmt::format("<= {:.0f} ms", 1e3 * bench.settings.largest_delay),
     response.delay <= bench.settings.largest_delay, false, response.delay, "s"});
  const double limit = std::max(2.0 * bench.driver.resolution(joint), 0.05 * motion);
  result.add(
    {fmt::format("joint {}, distance from such a motion", name),
     fmt::format("{:.4f} rad rms", response.residual), fmt::format("<= {:.4f} rad", limit),
     response.residual <= limit, false, response.residual, "rad"});
  if (coulomb_volts > bench.settings.largest_dead_band)
  {
    result.fail(fmt::format("Joint {} sticks: free the gear or the bearing.", name));
  }
  if (response.delay > bench.settings.largest_delay)
  {
    result.fail(fmt::format(
      "The volts of motor {} act {:.1f} ms after they are written: shorten the line's latency "
      "(USB), "
      "or the filter of the amplifier.",
      name, 1e3 * response.delay));
  }
  if (response.residual > limit)
  {
    result.fail(fmt::format(
      "Joint {} does not move as one motor with inertia and friction does: look for play, a "
      "slipping "
      "belt or coupling, an encoder that loses counts, or a hand on the link.",
      name));
  }
}

}  // namespace

void measure_dead_band(Bench & bench, StepResult & result, std::size_t joint)
{
  const char * name = joint_name(joint);
  require_good(bench.driver.wait_for_rest(), result);
  const double up = break_away(bench, joint, 1.0, result);
  const double down = break_away(bench, joint, -1.0, result);
  const bool found = up > 0.0 && down > 0.0;
  const double dead_band = 0.5 * (up + down) - 0.5 * stair_volts;
  const double limit = bench.settings.largest_dead_band;
  result.add(
    {fmt::format("joint {}, dead band", name),
     found ? fmt::format("{:.2f} V ({:+.2f} V, {:+.2f} V)", dead_band, up, -down)
           : std::string("does not move"),
     fmt::format("<= {:.2f} V", limit), found && dead_band <= limit, false, dead_band, "V"});
  if (!found || dead_band > limit)
  {
    result.fail(fmt::format(
      "Joint {} needs {} to move: free the gear or the bearing, check the bridge's own dead time.",
      name,
      found ? fmt::format("{:.2f} V", dead_band)
            : fmt::format("more than {:.2f} V", bench.settings.limits.volts)));
    return;
  }
  const double compensated = bench.calibration.joints[joint].dead_band;
  const bool over = compensated > dead_band + 0.05;
  result.add(
    {fmt::format("joint {}, dead band in the calibration", name),
     fmt::format("{:.2f} V", compensated), fmt::format("<= {:.2f} V", dead_band + 0.05), !over,
     false, compensated, "V"});
  if (over)
  {
    result.fail(fmt::format(
      "The calibration '{}' compensates {:.2f} V of dead band where joint {} has {:.2f} V: it "
      "would "
      "chatter. Set 'joint_{}: dead_band: {:.2f}'.",
      bench.calibration.name, compensated, name, dead_band, name, dead_band));
  }
  else if (compensated < dead_band - 0.05)
  {
    result.advice.push_back(fmt::format(
      "'joint_{}: dead_band: {:.2f}' in the calibration would compensate what the gear keeps.",
      name, dead_band));
  }
}

void measure_response(Bench & bench, StepResult & result, std::size_t joint)
{
  const auto i = static_cast<int>(joint);
  const double volts =
    std::min(bench.settings.limits.volts, std::max(1.0, bench.moving_volts[i] + 0.5));
  double duration = 0.0;
  for (const Piece & piece : pieces)
  {
    duration += piece.duration;
  }
  require_good(bench.driver.wait_for_rest(), result);
  const Track track = require_good(
    bench.driver.drive(
      duration,
      [&](double time) {
        Eigen::Vector2d output = Eigen::Vector2d::Zero();
        output[i] = volts * factor_at(time);
        return output;
      }),
    result);
  double lowest = track.points.front().angle[i];
  double highest = lowest;
  for (const TrackPoint & point : track.points)
  {
    lowest = std::min(lowest, point.angle[i]);
    highest = std::max(highest, point.angle[i]);
  }
  if (highest - lowest < bench.settings.clear_motion)
  {
    result.add(
      {fmt::format("joint {}, motion at {:.2f} V", joint_name(joint), volts),
       fmt::format("{:.4f} rad", highest - lowest),
       fmt::format(">= {:.2f} rad", bench.settings.clear_motion), false});
    result.fail(fmt::format(
      "Joint {} hardly moves at {:.2f} V: motor, gear or encoder.", joint_name(joint), volts));
    return;
  }
  const JointResponse response = fit_response(bench.robot, track, joint);
  judge_against_model(bench, joint, response, result);
  judge_friction_and_delay(bench, joint, response, highest - lowest, result);
}

}  // namespace fivebar_control::commission
