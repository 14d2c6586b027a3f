// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>

#include "fivebar_control/controller/finding.hpp"
#include "fivebar_control/controller/settings.hpp"
#include "fivebar_control/model/robot_model.hpp"

namespace fivebar_control
{

/// Watches what is asked of the motors: volts that are cut for too long, that go to and fro too
/// fast, and current that heats a motor beyond what it stands.
class OutputGuard
{
public:
  OutputGuard(const RobotModel & robot, const GuardSettings & settings);

  void set(const GuardSettings & settings);
  /// Forgets everything but the motors' heat.
  void reset();
  /// `wanted` volts became `volts`, at this speed of the links, for `elapsed` seconds.
  Finding check(
    const Eigen::Vector2d & wanted, const Eigen::Vector2d & volts, const Eigen::Vector2d & speed,
    double elapsed);
  /// The motors had no volts for `elapsed` seconds.
  void cool(double elapsed);

private:
  /// Shares of the windows that a cycle of this length is.
  struct Shares
  {
    double elapsed = 0.0;  ///< s
    double forgotten = 0.0, warmed = 0.0;
  };

  Shares shares_of(double elapsed) const;
  bool turns(int motor, double volts);

  GuardSettings settings_;
  double limit_;                 ///< V
  double swing_;                 ///< V to and fro that count as a reversal
  Shares shares_;                ///< of the cycle before, as long as most are
  Eigen::Vector2d back_emf_;     ///< V s/rad of a link
  Eigen::Vector2d conductance_;  ///< A/V
  Eigen::Vector2d saturated_, reversals_, heat_, extreme_;  ///< s, 1, A², V
  std::array<bool, 2> rising_{};
};

}  // namespace fivebar_control
