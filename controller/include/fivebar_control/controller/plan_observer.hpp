// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "fivebar_control/controller/loop_gains.hpp"
#include "fivebar_control/model/dynamics.hpp"

namespace fivebar_control
{

/// State and input disturbance of the robot along a plan: predicted by the robot's own equations
/// under the volts that were applied, corrected by the readings with the plan's gains. The model is
/// the one that the feedforward was made with, so that nothing is compensated twice. No allocation.
class PlanObserver
{
public:
  PlanObserver(const RobotModel & robot, double period, double disturbance_limit);

  /// At rest at `angle`, in the plan's first cycle.
  void reset(const Eigen::Vector2d & angle);

  /// One cycle on: `volts` acted since the cycle before; `angle` was read now, if `fresh`.
  /// `learned` is the part of these volts that runs have taught and the model does not know.
  void update(
    const Eigen::Vector2d & volts, const Eigen::Vector2d & learned, const Eigen::Vector2d & angle,
    bool fresh, const Eigen::Matrix<double, 6, 2> & gain) noexcept;

  /// (phi1, phi4, w1, w4).
  const Eigen::Vector4d & state() const { return state_; }
  /// V, as if added to the volts at the motors.
  const Eigen::Vector2d & disturbance() const { return disturbance_; }
  bool is_finite() const { return state_.allFinite() && disturbance_.allFinite(); }

private:
  DynamicsConstants<double> constants_;
  double period_;
  double limit_;
  int steps_;
  Eigen::Vector4d state_ = Eigen::Vector4d::Zero();
  Eigen::Vector2d disturbance_ = Eigen::Vector2d::Zero();
};

}  // namespace fivebar_control
