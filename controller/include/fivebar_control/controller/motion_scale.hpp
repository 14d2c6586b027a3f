// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>

#include "fivebar_control/controller/finding.hpp"
#include "fivebar_control/controller/settings.hpp"

namespace fivebar_control
{

/// Whether the links move as much as their volts should move them: the one thing that tells wrong
/// counts per turn, since the signs are right and the encoders follow their reference.
///
/// Over the last seconds of motion the volts applied, u, are split into a multiple of the volts n
/// that the model needs for the measured motion, and dry friction f that the model may not know:
///
///     u sgn(w) = a n sgn(w) + f,   f >= 0
///
/// with the reference's speed w as the instrument: it has no noise, and it leaves out what goes
/// with the acceleration, so that wrong masses do not count. a is one for a good model; counts x
/// 0.5 make it two, counts x 2 a half. What is judged is the part of u, in volts, that no `a`
/// within scale_ratio and no friction explain (docs/control.md, "Plausibility").
class MotionScale
{
public:
  explicit MotionScale(const GuardSettings & settings) { set(settings); }

  void set(const GuardSettings & settings);
  void reset();

  /// `speed` as the reference has it and as it is observed; volts applied and needed without those
  /// that hold the links against gravity, which are `holding`; `elapsed` s since the last call.
  Finding update(
    const Eigen::Vector2d & reference_speed, const Eigen::Vector2d & speed,
    const Eigen::Vector2d & applied, const Eigen::Vector2d & needed,
    const Eigen::Vector2d & holding, double elapsed);

private:
  /// Integrals over the time in which a joint moved, of the magnitude of the reference's speed w
  /// and of the volts in its direction.
  struct Sums
  {
    double time = 0.0, w = 0.0, ww = 0.0;
    double n = 0.0, wn = 0.0;  ///< needed
    double u = 0.0, wu = 0.0;  ///< applied
  };

  Finding judge(int joint, const Sums & sums, double least) const;

  double ratio_ = 0.0, least_ = 0.0;
  bool is_on_ = false;
  std::array<Sums, 2> sums_{};
};

}  // namespace fivebar_control
