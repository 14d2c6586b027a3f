// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "fivebar_control/plan/plan.hpp"

namespace fivebar_control
{

/// One point of a joint trajectory; (driven link 1, driven link 4).
struct TrajectoryPoint
{
  double t = 0.0;                                 ///< s from the start
  Eigen::Vector2d phi = Eigen::Vector2d::Zero();  ///< rad
  std::optional<Eigen::Vector2d> speed;           ///< rad/s
  std::optional<Eigen::Vector2d> acceleration;    ///< rad/s²
};

/// Where the robot is when a trajectory begins.
struct JointMotion
{
  Eigen::Vector2d phi = Eigen::Vector2d::Zero();           ///< rad
  Eigen::Vector2d speed = Eigen::Vector2d::Zero();         ///< rad/s
  Eigen::Vector2d acceleration = Eigen::Vector2d::Zero();  ///< rad/s²
};

/// Fifth-order polynomials from point to point: angle, speed and acceleration are continuous.
/// Speeds that are not given are those of the cubic spline through the angles; accelerations that
/// are not given are the mean of what the cubic polynomials on both sides have; at the end the
/// robot stands.
class JointPath
{
public:
  /// A first point after t = 0 is preceded by `start`. Throws InputError for points without sense;
  /// `name` stands for the trajectory in messages.
  JointPath(
    const std::vector<TrajectoryPoint> & points, const JointMotion & start,
    const std::string & name);

  double duration() const { return knots_.back().t; }
  JointMotion at(double time) const;

private:
  struct Knot
  {
    double t;
    Eigen::Vector2d phi, speed, acceleration;
  };
  void fill_speeds();
  void fill_accelerations();

  std::vector<Knot> knots_;
};

/// A plan whose reference is the trajectory and whose voltages are those that the robot's model
/// needs for it (inverse dynamics at every node). Throws InputError for points without sense, and
/// for a motion that require_plan_fits() refuses: volts, range, speed, margins.
Plan plan_of_trajectory(
  const RobotModel & robot, const std::vector<TrajectoryPoint> & points, const JointMotion & start,
  const std::string & name, double time_step = 1e-3);

}  // namespace fivebar_control
