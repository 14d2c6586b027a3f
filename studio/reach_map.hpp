// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "fivebar_control/planner/curve.hpp"
#include "fivebar_control/planner/reachability.hpp"

namespace fivebar_control
{

/// Where P can be, on a grid: one digit per cell, row by row from below; the digit is the Obstacle.
struct ReachMap
{
  Eigen::Vector2d low = Eigen::Vector2d::Zero();  ///< m, centre of the first cell
  double cell = 0.0;                              ///< m
  int columns = 0, rows = 0;
  std::string obstacles;
};
ReachMap reach_map(const RobotModel & robot, int columns);

/// A curve as points, each with what is in its way.
struct DrawnCurve
{
  std::vector<double> t, x, y;
  std::vector<Obstacle> obstacles;
  bool reachable() const;
};
DrawnCurve drawn_curve(const RobotModel & robot, const Curve & curve, std::size_t points);

/// The shortest of the moves in sixteen directions, up to 120 mm, after which the whole curve can
/// be drawn, a little reserve included; nothing if there is none.
std::optional<Eigen::Vector2d> move_into_reach(const RobotModel & robot, const Curve & curve);

}  // namespace fivebar_control
