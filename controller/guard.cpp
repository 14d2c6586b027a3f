// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/guard.hpp"

#include <cmath>

#include "fivebar_control/support/nanoseconds.hpp"

namespace fivebar_control
{

Guard::Guard(const RobotModel & robot, const GuardSettings & settings)
: limits_(robot.limits()), geometry_(robot.constants().geometry)
{
  set(settings);
}

void Guard::set(const GuardSettings & settings)
{
  settings_ = settings;
  frozen_window_ns_ = nanoseconds(settings.frozen_window);
  following_window_ns_ = nanoseconds(settings.following_window);
}

void Guard::reset()
{
  failed_reads_ = 0;
  failed_writes_ = 0;
  late_cycles_ = 0;
  unmoved_ns_.fill(0);
  astray_ns_.fill(0);
}

Finding Guard::check_connection(bool read_good, bool write_good, bool device_good)
{
  failed_reads_ = read_good ? 0 : failed_reads_ + 1;
  failed_writes_ = write_good ? 0 : failed_writes_ + 1;
  const auto limit = static_cast<double>(settings_.failures_in_a_row);
  if (!device_good)
  {
    return {Reason::device_fault, -1, 1.0, 0.0};
  }
  if (failed_reads_ >= settings_.failures_in_a_row)
  {
    return {Reason::read_failed, -1, static_cast<double>(failed_reads_), limit};
  }
  if (failed_writes_ >= settings_.failures_in_a_row)
  {
    return {Reason::write_failed, -1, static_cast<double>(failed_writes_), limit};
  }
  return {};
}

Finding Guard::check_encoders(
  const Eigen::Vector2d & angle, const Eigen::Vector2d & before, double elapsed) const
{
  for (int i = 0; i < 2; ++i)
  {
    if (!std::isfinite(angle[i]))
    {
      return {Reason::encoder_not_finite, i, angle[i], 0.0};
    }
    const double largest = settings_.jump_speed * elapsed;
    if (std::abs(angle[i] - before[i]) > largest && settings_.is_on(Reason::encoder_jump))
    {
      return {Reason::encoder_jump, i, angle[i] - before[i], largest};
    }
  }
  return {};
}

Finding Guard::check_timing(bool late)
{
  late_cycles_ = late ? late_cycles_ + 1 : 0;
  if (late_cycles_ >= settings_.late_cycles_in_a_row && settings_.is_on(Reason::late_cycles))
  {
    return {
      Reason::late_cycles, -1, static_cast<double>(late_cycles_),
      static_cast<double>(settings_.late_cycles_in_a_row)};
  }
  return {};
}

Finding Guard::check_frozen(
  const Eigen::Vector2d & angle, const Eigen::Vector2d & before, const Eigen::Vector2d & volts,
  std::int64_t elapsed_ns)
{
  for (int i = 0; i < 2; ++i)
  {
    const bool unmoved = angle[i] == before[i] && std::abs(volts[i]) > settings_.frozen_voltage;
    std::int64_t & time_ns = unmoved_ns_[static_cast<std::size_t>(i)];
    time_ns = unmoved ? time_ns + elapsed_ns : 0;
    if (time_ns > frozen_window_ns_ && settings_.is_on(Reason::encoder_frozen))
    {
      return {
        Reason::encoder_frozen, i, static_cast<double>(time_ns) * 1e-9, settings_.frozen_window};
    }
  }
  return {};
}

Finding Guard::check_motion(
  const Eigen::Vector2d & angle, const Pose<double> & pose, const Eigen::Vector2d & speed) const
{
  for (int i = 0; i < 2; ++i)
  {
    const auto index = static_cast<std::size_t>(i);
    if (angle[i] < limits_.joint_minimum[index])
    {
      return {Reason::joint_range, i, angle[i], limits_.joint_minimum[index]};
    }
    if (angle[i] > limits_.joint_maximum[index])
    {
      return {Reason::joint_range, i, angle[i], limits_.joint_maximum[index]};
    }
    if (std::abs(speed[i]) > limits_.joint_speed)
    {
      return {Reason::joint_speed, i, speed[i], limits_.joint_speed};
    }
  }
  // Negated comparisons: an open linkage gives NaN, which must count as too near.
  if (!(std::abs(pose.s23) >= limits_.singularity_margin))
  {
    return {Reason::parallel_singularity, -1, std::abs(pose.s23), limits_.singularity_margin};
  }
  const Eigen::Vector2d serial(
    std::abs(cross<double>(pose.e1, pose.e2)), std::abs(cross<double>(pose.e4, pose.e3)));
  for (int i = 0; i < 2; ++i)
  {
    if (!(serial[i] >= limits_.serial_singularity_margin))
    {
      return {Reason::serial_singularity, i, serial[i], limits_.serial_singularity_margin};
    }
  }
  return {};
}

Finding Guard::check_path(const Eigen::Vector2d & from, const Eigen::Vector2d & to) const
{
  constexpr int places = 32;
  for (int k = 0; k <= places; ++k)
  {
    const double share = static_cast<double>(k) / places;
    const Eigen::Vector2d angle = from + share * (to - from);
    if (const Finding finding = check_motion(angle, pose(angle), Eigen::Vector2d::Zero()))
    {
      return finding;
    }
  }
  return {};
}

Finding Guard::check_following(
  const Reference & reference, const Eigen::Vector2d & angle, bool has_feedback,
  std::int64_t elapsed_ns)
{
  constexpr double open_loop = 2.5;
  const double band = (has_feedback ? 1.0 : open_loop) * settings_.following_band;
  for (int i = 0; i < 2; ++i)
  {
    const double error = reference.phi[i] - angle[i];
    const bool astray = std::abs(error) > band;
    std::int64_t & time_ns = astray_ns_[static_cast<std::size_t>(i)];
    time_ns = astray ? time_ns + elapsed_ns : 0;
    if (time_ns > following_window_ns_ && settings_.is_on(Reason::following_error))
    {
      return {Reason::following_error, i, error, band};
    }
  }
  return {};
}

}  // namespace fivebar_control
