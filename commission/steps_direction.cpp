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

constexpr double first_volts = 0.3;
constexpr double volts_step = 0.2;
constexpr double longest_pulse = 0.15;  // s
constexpr double largest_volt_seconds =
  0.1;                              // V s: 0.15 rad of the default robot, whatever is wrong
constexpr double rest_time = 0.25;  // s

double pulse_time(double volts)
{
  return std::min(longest_pulse, largest_volt_seconds / std::abs(volts));
}

/// One motor gets these volts for pulse_time(), then zero volts until it stands.
Track pulse(Bench & bench, std::size_t joint, double volts, StepResult & result)
{
  const double duration = pulse_time(volts);
  return require_good(
    bench.driver.drive(
      duration + rest_time,
      [&](double time) {
        Eigen::Vector2d output = Eigen::Vector2d::Zero();
        output[static_cast<int>(joint)] = time < duration ? volts : 0.0;
        return output;
      }),
    result);
}

/// What the encoders showed of a pulse.
struct Shown
{
  Eigen::Vector2d moved = Eigen::Vector2d::Zero();  ///< rad
  bool anything = false;
  bool both = false;
  std::size_t joint = 0;               ///< whose encoder moved most
  std::array<bool, 2> only_toggles{};  ///< one count up and down again, all the time

  static Shown of(const Track & track, double clear_motion)
  {
    Shown shown;
    shown.moved = track.moved();
    const Eigen::Vector2d size = shown.moved.cwiseAbs();
    shown.joint = size[1] > size[0] ? 1 : 0;
    shown.anything = size.maxCoeff() >= clear_motion;
    shown.both = shown.anything && size.minCoeff() > 0.5 * size.maxCoeff();
    for (int i = 0; i < 2; ++i)
    {
      std::size_t changes = 0;
      for (std::size_t k = 1; k < track.points.size(); ++k)
      {
        changes += track.points[k].angle[i] != track.points[k - 1].angle[i] ? 1U : 0U;
      }
      shown.only_toggles[static_cast<std::size_t>(i)] =
        size[i] < clear_motion && 4 * changes > track.points.size();
    }
    return shown;
  }
  double amount() const { return moved[static_cast<int>(joint)]; }
  std::string text() const
  {
    return fmt::format("encoder 1 {:+.3f} rad, encoder 4 {:+.3f} rad", moved[0], moved[1]);
  }
};

/// Gentle pulses, forth and back, ever stronger until an encoder clearly shows one; 0 if none does.
double find_moving_volts(Bench & bench, std::size_t joint, StepResult & result)
{
  double & volts = bench.moving_volts[static_cast<int>(joint)];
  if (volts > 0.0)
  {
    return volts;
  }
  const double limit = bench.settings.limits.volts;
  for (double next = std::min(first_volts, limit);; next = std::min(next + volts_step, limit))
  {
    const Track forth = pulse(bench, joint, next, result);
    pulse(bench, joint, -next, result);
    if (Shown::of(forth, bench.settings.clear_motion).anything)
    {
      return volts = next;
    }
    if (next >= limit)
    {
      return 0.0;
    }
  }
}

/// "set joint_1: encoder_reversed: true": what the calibration would have to say instead.
std::string reversed_key(const Bench & bench, std::size_t joint, bool motor)
{
  const JointCalibration & calibration = bench.calibration.joints[joint];
  const bool now = motor ? calibration.motor_reversed : calibration.encoder_reversed;
  return fmt::format(
    "set 'joint_{}: {}: {}' in the calibration '{}'", joint_name(joint),
    motor ? "motor_reversed" : "encoder_reversed", now ? "false" : "true", bench.calibration.name);
}

std::string inverted_encoder(const Bench & bench, std::size_t joint)
{
  return fmt::format(
    "Encoder {} is inverted: it counts down when link {} turns counter-clockwise. Exchange its "
    "channels A and B, or {}.",
    joint_name(joint), joint_name(joint), reversed_key(bench, joint, false));
}

constexpr const char * exchanged_encoders =
  "The encoders are exchanged: the one that link {} moves is connected as encoder {}. Exchange "
  "their "
  "cables (on a card: the order of its encoder channels in the calibration).";

/// What the person saw of a pulse of motor `joint` with positive volts.
struct Seen
{
  bool one = false;  ///< one link moved
  std::size_t link = 0;
  double way = 1.0;  ///< +1: counter-clockwise
};

Seen seen_of(const std::string & answer)
{
  if (answer != "1 ccw" && answer != "1 cw" && answer != "4 ccw" && answer != "4 cw")
  {
    return {};
  }
  return {true, answer[0] == '4' ? 1U : 0U, answer.substr(2) == "ccw" ? 1.0 : -1.0};
}

void diagnose_motor(const Bench & bench, std::size_t joint, const Seen & seen, StepResult & result)
{
  if (seen.link != joint)
  {
    result.fail(fmt::format(
      "The motors are exchanged: the volts of motor {} move link {}. Exchange the cables of the "
      "two "
      "motors at the board (on a card: the order of its analog channels in the calibration).",
      joint_name(joint), joint_name(seen.link)));
  }
  if (seen.way < 0.0)
  {
    result.fail(fmt::format(
      "Motor {} is inverted: positive volts turn link {} clockwise. Exchange its two wires, or {}.",
      joint_name(seen.link), joint_name(seen.link), reversed_key(bench, seen.link, true)));
  }
}

void diagnose_encoder(
  const Bench & bench, const Seen & seen, const Shown & shown, StepResult & result)
{
  if (!shown.anything)
  {
    result.fail(fmt::format(
      "Encoder {} {} although link {} moves: check its cable, plug, shield and supply.",
      joint_name(seen.link),
      shown.only_toggles[seen.link] ? "toggles between two counts" : "stands still",
      joint_name(seen.link)));
  }
  else if (shown.joint != seen.link)
  {
    result.fail(fmt::format(exchanged_encoders, joint_name(seen.link), joint_name(shown.joint)));
  }
  else if (shown.amount() * seen.way < 0.0)
  {
    result.fail(inverted_encoder(bench, seen.link));
  }
}

void diagnose_odd_answer(
  const std::string & answer, std::size_t joint, const Shown & shown, StepResult & result)
{
  if (answer == "nothing" && !shown.anything)
  {
    result.fail(fmt::format(
      "Motor {} moves nothing at the largest voltage of this procedure: check its cable, the "
      "supply "
      "of the bridges and their enable line; if the gear needs more, raise --voltage.",
      joint_name(joint)));
  }
  else if (answer == "nothing")
  {
    result.fail(fmt::format(
      "No link was seen to move, but {}: look again (--step direction_{}), or the encoders count "
      "without a motion.",
      shown.text(), joint_name(joint)));
  }
  else
  {
    result.fail(fmt::format(
      "Both driven links moved with motor {} alone: its cable reaches both motors, or the linkage "
      "is "
      "blocked near a singularity.",
      joint_name(joint)));
  }
}

}  // namespace

void check_direction(Bench & bench, StepResult & result, std::size_t joint)
{
  const char * name = joint_name(joint);
  const double found = find_moving_volts(bench, joint, result);
  const double volts = found > 0.0 ? found : bench.settings.limits.volts;
  std::string answer = "again";
  Shown shown;
  for (int turn = 0; turn < 20 && answer == "again"; ++turn)
  {
    bench.person.tell(
      fmt::format("direction_{}.watch", name),
      fmt::format(
        "Watch the links: motor {} now gets {:+.2f} V for {:.2f} s.", name, volts,
        pulse_time(volts)));
    shown = Shown::of(pulse(bench, joint, volts, result), bench.settings.clear_motion);
    answer = ask(
      bench, {fmt::format("direction_{}.seen", name),
              "Which driven link moved, and which way, counter-clockwise (ccw) or clockwise (cw)?",
              {"1 ccw", "1 cw", "4 ccw", "4 cw", "both", "nothing", "again"}});
    pulse(bench, joint, -volts, result);
  }
  const Seen seen = seen_of(answer);
  const std::string expected = fmt::format("{} ccw", name);
  result.add(
    {fmt::format("motor {} at {:+.2f} V, seen", name, volts), answer, expected,
     answer == expected});
  const bool right = shown.anything && !shown.both && shown.joint == joint && shown.amount() > 0.0;
  result.add(
    {fmt::format("motor {} at {:+.2f} V, measured", name, volts), shown.text(),
     fmt::format("encoder {} > {:.2f} rad", name, bench.settings.clear_motion), right, false,
     shown.moved[static_cast<int>(joint)], "rad"});
  if (!seen.one)
  {
    diagnose_odd_answer(answer, joint, shown, result);
    return;
  }
  diagnose_motor(bench, joint, seen, result);
  if (shown.both)
  {
    result.fail(fmt::format(
      "One link moved, but both encoders count ({}): look for a short between their cables.",
      shown.text()));
    return;
  }
  diagnose_encoder(bench, seen, shown, result);
}

void check_pair(Bench & bench, StepResult & result, std::size_t joint)
{
  const char * name = joint_name(joint);
  const auto own = static_cast<int>(joint);
  require_good(bench.driver.wait_for_rest(), result);
  const double found = find_moving_volts(bench, joint, result);
  const double volts = found > 0.0 ? found : bench.settings.limits.volts;
  const Shown up = Shown::of(pulse(bench, joint, volts, result), bench.settings.clear_motion);
  const Shown down = Shown::of(pulse(bench, joint, -volts, result), bench.settings.clear_motion);
  const bool one = up.anything && down.anything && !up.both && !down.both;
  const bool right = one && up.joint == joint && up.amount() > 0.0 && down.amount() < 0.0;
  result.add(
    {fmt::format("motor {}, {:.2f} V pulses", name, volts),
     fmt::format(
       "encoder 1 {:+.3f} {:+.3f}, encoder 4 {:+.3f} {:+.3f} rad", up.moved[0], down.moved[0],
       up.moved[1], down.moved[1]),
     fmt::format("only encoder {}, with the volts' sign", name), right, false, up.moved[own],
     "rad"});
  if (!up.anything)
  {
    result.fail(fmt::format(
      "Motor {} moves no encoder at {:.2f} V{}: check the cables of motor and encoder, the supply "
      "and the enable line.",
      name, volts,
      up.only_toggles[joint] ? fmt::format("; encoder {} toggles between two counts", name) : ""));
  }
  else if (up.both)
  {
    result.fail(fmt::format("Motor {} moves both encoders alike: look for a short.", name));
  }
  else if (up.joint != joint)
  {
    result.fail(fmt::format(
      "Motor {} moves encoder {}: the motors or the encoders are exchanged ('fivebar commission' "
      "tells which).",
      name, joint_name(up.joint)));
  }
  else if (!right)
  {
    result.fail(fmt::format(
      "Encoder {} counts against the volts of motor {}: motor or encoder is inverted ('fivebar "
      "commission' tells which).",
      name, name));
  }
}

void check_turning(Bench & bench, StepResult & result, std::size_t joint)
{
  const char * name = joint_name(joint);
  const double angle = bench.settings.turn_angle;
  require_good(bench.driver.wait_for_rest(), result);
  bench.person.tell(
    fmt::format("turning_{}", name),
    fmt::format(
      "Turn driven link {} by hand COUNTER-CLOCKWISE, by {:.0f} degrees or more, within {:.0f} s "
      "...",
      name, angle * 180.0 / std::numbers::pi, bench.settings.person_time));
  Eigen::Vector2d start = Eigen::Vector2d::Zero();
  bool started = false;
  const Track track = require_good(
    bench.driver.watch(
      bench.settings.person_time,
      [&](const TrackPoint & point) {
        start = started ? start : point.angle;
        started = true;
        return (point.angle - start).cwiseAbs().maxCoeff() >= angle;
      }),
    result);
  bench.person.tell(fmt::format("turning_{}.done", name), "Thank you. Let go of it.");
  const Shown shown = Shown::of(track, angle);
  const bool right = shown.anything && shown.joint == joint && shown.amount() > 0.0;
  result.add(
    {fmt::format("link {}, turned by hand", name), shown.text(),
     fmt::format("encoder {} >= {:.2f} rad", name, angle), right, false,
     shown.moved[static_cast<int>(joint)], "rad"});
  if (!shown.anything)
  {
    result.fail(fmt::format(
      "Nobody turned link {} within {:.0f} s, or its encoder stands still.", name,
      bench.settings.person_time));
  }
  else if (shown.joint != joint)
  {
    result.fail(fmt::format(exchanged_encoders, name, joint_name(shown.joint)));
  }
  else if (!right)
  {
    result.fail(inverted_encoder(bench, joint));
  }
}

}  // namespace fivebar_control::commission
