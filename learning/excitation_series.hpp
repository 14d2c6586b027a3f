// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>

#include "fivebar_control/learning/excite.hpp"

namespace fivebar_control
{

/// Joint angles as a sum of sines about a centre, faded in and out: at rest in the centre, and
/// without acceleration, at both ends.
struct ExcitationSeries
{
  static constexpr int frequencies = 5;
  static constexpr int unknowns = 2 + frequencies + 4 * frequencies;

  double duration = 0.0, ramp = 0.0;  ///< s
  Eigen::Vector2d center = Eigen::Vector2d::Zero();
  std::array<double, frequencies> angular{};  ///< rad/s
  /// rad, of sine and cosine by joint.
  std::array<Eigen::Vector2d, frequencies> sine{}, cosine{};

  struct Point
  {
    Eigen::Vector4d x;             ///< angles and speeds
    Eigen::Vector2d acceleration;  ///< rad/s²
  };
  Point at(double t) const;
  /// Everything but the centre.
  ExcitationSeries scaled(double factor) const;
};

/// The room in which a series has to stay: the robot's limits less what the feedback keeps.
class ExcitationRoom
{
public:
  ExcitationRoom(const RobotModel & robot, const ExciteOptions & options);

  /// The resting pose with the most room around it that a straight move from home reaches. Throws
  /// InputError where there is none.
  Eigen::Vector2d widest_pose() const;
  /// How far inside angles and margins are, the least of all, in rad; negative: outside.
  double clearance(const Eigen::Vector2d & phi) const;
  /// Whether the whole series stays inside, looked at every `step` s.
  bool holds(const ExcitationSeries & series, double step) const;
  /// The largest multiple of the series that stays inside, at most 4; nothing: not even its
  /// centre does.
  std::optional<double> largest_scale(const ExcitationSeries & series, double step) const;

  double voltage() const { return voltage_; }

private:
  bool reached_from_home(const Eigen::Vector2d & phi) const;

  const RobotModel & robot_;
  Eigen::Vector2d lowest_, highest_;
  double speed_, voltage_, voltage_rate_, parallel_, serial_;
};

}  // namespace fivebar_control
