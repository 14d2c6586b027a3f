// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/hardware/homing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace fivebar_control
{
namespace
{

constexpr double speed_filter = 0.1;      // share of a new difference in the estimated speed
constexpr double largest_detour = 0.1;    // rad, against the volts, or of the other joint
constexpr double largest_step = 0.1;      // rad per sample: no link does that
constexpr double share_of_volts = 0.999;  // from here on the ramp has ended

const char * name_of(Eigen::Index joint) { return joint == 0 ? "1" : "4"; }

}  // namespace

HomingSearch::HomingSearch(const RobotModel & robot, const Homing & homing, std::size_t joint)
: robot_(robot), homing_(homing), joint_(joint)
{
}

HomingSearch::State HomingSearch::fail(std::string why)
{
  complaint_ = std::move(why);
  volts_.setZero();
  return State::failed;
}

/// Limits of the robot; a stop lies behind the joint range, and all is known to the tolerance only.
std::string HomingSearch::violation(const Eigen::Vector2d & angle) const
{
  const Limits & limits = robot_.limits();
  for (Eigen::Index i = 0; i < 2; ++i)
  {
    const double low = std::min(limits.joint_minimum[i], homing_.angle[i]) - homing_.tolerance;
    const double high = std::max(limits.joint_maximum[i], homing_.angle[i]) + homing_.tolerance;
    if (!(angle[i] >= low && angle[i] <= high))
    {
      return fmt::format(
        "joint {} left its range while homing: about {:.3f} rad, allowed {:.3f} to {:.3f}",
        name_of(i), angle[i], low, high);
    }
    if (!(std::abs(speed_[i]) <= limits.joint_speed))
    {
      return fmt::format(
        "joint {} was too fast while homing: {:.1f} rad/s, limit {:.1f}", name_of(i), speed_[i],
        limits.joint_speed);
    }
  }
  // Negated comparisons: an open linkage gives NaN, which must count as too near.
  const Pose<double> pose = pose_at<double>(robot_.constants().geometry, angle[0], angle[1]);
  const double serial_1 = std::abs(cross<double>(pose.e1, pose.e2));
  const double serial_4 = std::abs(cross<double>(pose.e4, pose.e3));
  if (
    !(std::abs(pose.s23) >= limits.singularity_margin) ||
    !(serial_1 >= limits.serial_singularity_margin) ||
    !(serial_4 >= limits.serial_singularity_margin))
  {
    return fmt::format(
      "homing came too near to a singularity, at about {:.3f} and {:.3f} rad", angle[0], angle[1]);
  }
  return {};
}

/// Before anything is known of the wiring, the volts must move their own link, and their way.
std::string HomingSearch::wrong_way() const
{
  const auto joint = static_cast<Eigen::Index>(joint_);
  const Eigen::Vector2d moved = angle_ - first_;
  const double forward = homing_.voltage[joint] > 0.0 ? moved[joint] : -moved[joint];
  const double other = std::abs(moved[1 - joint]);
  if (other > largest_detour && forward < 0.5 * other)
  {
    return fmt::format(
      "joint {} moves instead of joint {} while homing: motors or encoders are exchanged ('fivebar "
      "commission' tells which)",
      name_of(1 - joint), name_of(joint));
  }
  if (forward < -largest_detour)
  {
    return fmt::format(
      "joint {} moves against its volts while homing: its motor or its encoder is inverted "
      "('fivebar commission' tells which), or something pushes the link",
      name_of(joint));
  }
  return {};
}

bool HomingSearch::is_where_it_can_be(double angle) const
{
  return std::abs(angle - homing_.angle[static_cast<Eigen::Index>(joint_)]) <= homing_.tolerance;
}

HomingSearch::State HomingSearch::look_for_mark(const MotorSample & sample, double mark)
{
  const bool seen = (sample.status & motor_status::index_seen[joint_]) != 0U;
  if (!seen || !is_where_it_can_be(mark))
  {
    return State::searching;  // a geared encoder has marks at other angles, too
  }
  counts_ = sample.index[joint_];
  volts_.setZero();
  return State::found;
}

HomingSearch::State HomingSearch::look_for_stop(
  const MotorSample & sample, double angle, double elapsed)
{
  const auto joint = static_cast<Eigen::Index>(joint_);
  const bool pushing =
    std::abs(volts_[joint]) >=
    share_of_volts * std::min(std::abs(homing_.voltage[joint]), robot_.limits().voltage);
  const bool moved = sample.counts[joint_] != counts_;
  still_ = moved || !pushing ? 0.0 : still_ + elapsed;
  counts_ = sample.counts[joint_];
  if (still_ <= homing_.still_time)
  {
    return State::searching;
  }
  if (!is_where_it_can_be(angle))
  {
    return fail(fmt::format(
      "joint {} stands still at about {:.3f} rad, but its end stop is at {:.3f} rad (tolerance "
      "{:.3f}): something is in the way, the encoder does not count, or the link did not begin "
      "at about {:.3f} rad",
      name_of(joint), angle, homing_.angle[joint], homing_.tolerance, homing_.start[joint]));
  }
  volts_.setZero();
  return State::found;
}

HomingSearch::State HomingSearch::update(
  const MotorSample & sample, const Eigen::Vector2d & angle, double mark, double elapsed)
{
  const auto joint = static_cast<Eigen::Index>(joint_);
  if (started_ && elapsed > 0.0)
  {
    const Eigen::Vector2d step = angle - angle_;
    if (!(step.cwiseAbs().maxCoeff() <= largest_step))
    {
      return fail("an encoder jumped while homing");
    }
    speed_ += speed_filter * (step / elapsed - speed_);
    time_ += elapsed;
  }
  first_ = started_ ? first_ : angle;
  angle_ = angle;
  started_ = true;
  if (std::string why = wrong_way(); !why.empty())
  {
    return fail(std::move(why));
  }
  if (std::string why = violation(angle); !why.empty())
  {
    return fail(std::move(why));
  }
  const bool for_stop = homing_.method == HomingMethod::end_stop;
  const State state =
    for_stop ? look_for_stop(sample, angle[joint], elapsed) : look_for_mark(sample, mark);
  if (state != State::searching)
  {
    return state;
  }
  if (time_ > homing_.timeout)
  {
    return fail(fmt::format(
      "joint {} found no {} within {} s", name_of(joint), for_stop ? "end stop" : "index pulse",
      homing_.timeout));
  }
  const Limits & limits = robot_.limits();
  const double wanted = std::clamp(homing_.voltage[joint], -limits.voltage, limits.voltage);
  const double change = limits.voltage_rate * elapsed;
  volts_[joint] += std::clamp(wanted - volts_[joint], -change, change);
  return State::searching;
}

}  // namespace fivebar_control
