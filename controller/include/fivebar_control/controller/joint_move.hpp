// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>

#include "fivebar_control/controller/player.hpp"

namespace fivebar_control
{

/// 0 to 1 with zero slope at both ends.
inline double smooth_step(double s)
{
  const double x = std::clamp(s, 0.0, 1.0);
  return x * x * (3.0 - 2.0 * x);
}

/// A point-to-point move of both joints at the same time, at rest at both ends: the quintic of
/// least jerk.
class JointMove
{
public:
  JointMove() = default;
  JointMove(const Eigen::Vector2d & from, const Eigen::Vector2d & to, double peak_speed)
  : from_(from), distance_(to - from)
  {
    constexpr double peak_of_mean = 1.875;  // largest slope of the quintic
    constexpr double shortest = 0.1;        // s
    duration_ = std::max(shortest, peak_of_mean * distance_.cwiseAbs().maxCoeff() / peak_speed);
  }
  double duration() const { return duration_; }

  Reference at(double time) const
  {
    const double s = std::clamp(time / duration_, 0.0, 1.0);
    Reference reference;
    reference.phi = from_ + (s * s * s * (10.0 + s * (6.0 * s - 15.0))) * distance_;
    reference.speed = (30.0 * s * s * (1.0 - s) * (1.0 - s) / duration_) * distance_;
    return reference;
  }

private:
  Eigen::Vector2d from_ = Eigen::Vector2d::Zero();
  Eigen::Vector2d distance_ = Eigen::Vector2d::Zero();
  double duration_ = 1.0;
};

/// Brings a moving reference to rest where it was: a cubic that leaves the point with the given
/// speed and is back after `duration`, 4/27 speed * duration away at most. Its
/// volts are the caller's to add, from the acceleration.
class Settling
{
public:
  Settling() = default;
  Settling(const Reference & begin, double duration) : begin_(begin), duration_(duration) {}

  Reference at(double time) const
  {
    const double s = std::clamp(time / duration_, 0.0, 1.0);
    Reference reference;
    reference.phi = begin_.phi + (duration_ * s * (1.0 - s) * (1.0 - s)) * begin_.speed;
    reference.speed = ((1.0 - s) * (1.0 - 3.0 * s)) * begin_.speed;
    return reference;
  }
  /// rad/s²
  Eigen::Vector2d acceleration(double time) const
  {
    const double s = time / duration_;
    return s < 1.0 ? Eigen::Vector2d(((6.0 * s - 4.0) / duration_) * begin_.speed)
                   : Eigen::Vector2d(0.0, 0.0);
  }

private:
  Reference begin_;
  double duration_ = 1.0;
};

}  // namespace fivebar_control
