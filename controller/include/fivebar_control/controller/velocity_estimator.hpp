// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "fivebar_control/controller/settings.hpp"

namespace fivebar_control
{

/// Speeds of the driven joints from their quantised angles (docs/control.md, "Velocity").
class VelocityEstimator
{
public:
  VelocityEstimator(const VelocitySettings & settings, double period);

  /// At rest at `angle`.
  void reset(const Eigen::Vector2d & angle);
  /// A new measurement `elapsed` seconds after the one before; `elapsed` equal to the period takes
  /// the precomputed coefficients.
  void update(const Eigen::Vector2d & angle, double elapsed);
  const Eigen::Vector2d & speed() const { return speed_; }

  struct Coefficients
  {
    double position;  ///< correction of the observer's angle, per rad of its error
    double speed;     ///< correction of the speed: per rad/s (filter) or per rad (observer)
  };
  /// For measurements `elapsed` seconds apart.
  static Coefficients coefficients(const VelocitySettings & settings, double elapsed);

private:
  VelocitySettings settings_;
  double period_;
  Coefficients nominal_;
  Eigen::Vector2d angle_ = Eigen::Vector2d::Zero();  ///< last measured, or observed
  Eigen::Vector2d speed_ = Eigen::Vector2d::Zero();
};

}  // namespace fivebar_control
