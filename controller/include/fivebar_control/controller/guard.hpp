// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>

#include "fivebar_control/controller/finding.hpp"
#include "fivebar_control/controller/player.hpp"
#include "fivebar_control/controller/settings.hpp"
#include "fivebar_control/model/robot_model.hpp"

namespace fivebar_control
{

/// Watches measurement and motion. Every check returns a finding with its numbers, or none; the
/// first finding of a cycle is the fault. Keeps windows and counters, takes no decision.
class Guard
{
public:
  Guard(const RobotModel & robot, const GuardSettings & settings);

  /// Forgets windows and counters.
  void reset();
  void set(const GuardSettings & settings);

  // In every state.
  Finding check_connection(bool read_good, bool write_good, bool device_good);
  /// `elapsed` seconds since the last good measurement, which was `before`.
  Finding check_encoders(
    const Eigen::Vector2d & angle, const Eigen::Vector2d & before, double elapsed) const;

  // While the motors are driven.
  Finding check_timing(bool late);
  /// `volts` without those that only hold the links against gravity.
  Finding check_frozen(
    const Eigen::Vector2d & angle, const Eigen::Vector2d & before, const Eigen::Vector2d & volts,
    std::int64_t elapsed_ns);
  /// Of the links at `angle`, which the other checks of a cycle need, too.
  Pose<double> pose(const Eigen::Vector2d & angle) const
  {
    return pose_at<double>(geometry_, angle[0], angle[1]);
  }
  Finding check_motion(
    const Eigen::Vector2d & angle, const Pose<double> & pose, const Eigen::Vector2d & speed) const;
  /// Angles and margins of all poses from one to another, in a straight line of joint angles.
  Finding check_path(const Eigen::Vector2d & from, const Eigen::Vector2d & to) const;
  /// Without feedback the robot is not brought back to its reference: the band is wider then.
  Finding check_following(
    const Reference & reference, const Eigen::Vector2d & angle, bool has_feedback,
    std::int64_t elapsed_ns);

private:
  Limits limits_;
  Geometry<double> geometry_;
  GuardSettings settings_;
  std::int64_t frozen_window_ns_ = 0, following_window_ns_ = 0;  ///< the settings', counted
  int failed_reads_ = 0;
  int failed_writes_ = 0;
  int late_cycles_ = 0;
  std::array<std::int64_t, 2> unmoved_ns_{};  ///< driven without a count of change
  std::array<std::int64_t, 2> astray_ns_{};   ///< outside the following band
};

}  // namespace fivebar_control
