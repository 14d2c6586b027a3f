// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "fivebar_control/controller/finding.hpp"
#include "fivebar_control/controller/motion_scale.hpp"
#include "fivebar_control/controller/settings.hpp"
#include "fivebar_control/model/robot_model.hpp"

namespace fivebar_control
{

/// Compares the measured motion with the one that the applied volts should cause. An observer with
/// the robot's model predicts each measurement; what the model cannot explain is an acceleration
/// that the observer estimates, and is judged as the volts that would cause it. Wrong signs,
/// exchanged cables, encoders that stand still or toggle, a lost belt show within tens of
/// milliseconds; wrong counts within some tenths of a second (docs/control.md, "Plausibility").
///
/// The model's pose-dependent terms change slowly: they are computed anew every refresh_every
/// updates only.
class Plausibility
{
public:
  Plausibility(const RobotModel & robot, const GuardSettings & settings, double period);

  void set(const GuardSettings & settings);
  /// The next measurement is where it begins; the robot moves at `speed`.
  void reset(const Eigen::Vector2d & speed);

  /// A measurement `elapsed` seconds after the last one, with the links' pose; since then the
  /// motors had these volts. The reference moves at `reference_speed`.
  Finding update(
    const Eigen::Vector2d & angle, const Pose<double> & pose, const Eigen::Vector2d & volts,
    const Eigen::Vector2d & reference_speed, double elapsed);

  /// V that hold the links against gravity where they are.
  const Eigen::Vector2d & holding_volts() const { return holding_; }
  /// V that are missing (or too many) to explain the motion.
  const Eigen::Vector2d & unexplained() const { return unexplained_; }

private:
  static constexpr int refresh_every = 8;
  static constexpr int scale_after = 4;  ///< updates, so that no cycle does both

  void refresh(const Pose<double> & pose);
  void predict(const Eigen::Vector2d & volts, double step);
  Finding judge_force(double elapsed);
  Finding judge_scale(
    const Eigen::Vector2d & volts, const Eigen::Vector2d & reference_speed, double elapsed);

  DynamicsConstants<double> model_;
  GuardSettings settings_;
  MotionScale scale_;
  double period_;
  double angle_gain_, speed_gain_, force_gain_;  ///< of the observer, for one period
  double peak_decay_;                            ///< of the volts' peaks, for one period
  double average_gain_;                          ///< of the slow averages, for one period

  // The model where the robot is.
  Eigen::Vector3d mass_ = Eigen::Vector3d::Zero();     ///< m11, m14, m44, kg m²
  Eigen::Vector3d inverse_ = Eigen::Vector3d::Zero();  ///< of that matrix
  Eigen::Vector2d bias_ = Eigen::Vector2d::Zero();     ///< N m
  Eigen::Vector2d holding_ = Eigen::Vector2d::Zero();  ///< V

  // What the observer believes.
  Eigen::Vector2d angle_ = Eigen::Vector2d::Zero();
  Eigen::Vector2d speed_ = Eigen::Vector2d::Zero();
  Eigen::Vector2d acceleration_ = Eigen::Vector2d::Zero();  ///< rad/s², unexplained
  Eigen::Vector2d unexplained_ = Eigen::Vector2d::Zero();   ///< V, the same
  bool begins_ = true;
  int until_refresh_ = 0;
  double since_scale_ = 0.0;  ///< s

  // What it has seen.
  Eigen::Vector2d peak_volts_ = Eigen::Vector2d::Zero();    ///< V, recent
  Eigen::Vector2d mean_applied_ = Eigen::Vector2d::Zero();  ///< V, of the magnitude
  Eigen::Vector2d mean_needed_ = Eigen::Vector2d::Zero();   ///< V, the same for the motion
  Eigen::Vector2d outside_ = Eigen::Vector2d::Zero();       ///< s, unexplained
};

}  // namespace fivebar_control
