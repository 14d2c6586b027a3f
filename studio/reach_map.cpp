// SPDX-License-Identifier: Apache-2.0
#include "reach_map.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fivebar_control
{
namespace
{

constexpr double border = 0.01;  // m around what the arms can reach

/// The angles in the middle of the joint ranges: of several turns those in range are meant.
Eigen::Vector2d middle_angles(const RobotModel & robot)
{
  return 0.5 * (robot.limits().joint_minimum + robot.limits().joint_maximum);
}

Obstacle obstacle_at(const RobotModel & robot, const Motion2 & point, Eigen::Vector2d & near)
{
  const Reach reach = reach_of(robot, point, near);
  if (reach.obstacle == Obstacle::none)
  {
    near = reach.driven.position;
  }
  return reach.obstacle;
}

}  // namespace

ReachMap reach_map(const RobotModel & robot, int columns)
{
  const Geometry<double> & g = robot.kinematics().geometry();
  const double arm_1 = g.l1 + g.l2 + border;
  const double arm_4 = g.l4 + g.l3 + border;
  const Eigen::Array2d low = (g.pivot_1.array() - arm_1).max(g.pivot_4.array() - arm_4);
  const Eigen::Array2d high = (g.pivot_1.array() + arm_1).min(g.pivot_4.array() + arm_4);
  ReachMap map;
  map.columns = columns;
  map.cell = (high[0] - low[0]) / columns;
  map.rows = std::max(1, static_cast<int>(std::ceil((high[1] - low[1]) / map.cell)));
  map.low = low + 0.5 * map.cell;
  const Eigen::Vector2d middle = middle_angles(robot);
  for (int row = 0; row < map.rows; ++row)
  {
    for (int column = 0; column < columns; ++column)
    {
      Motion2 point;
      point.position = map.low + map.cell * Eigen::Vector2d(column, row);
      const Reach reach = reach_of(robot, point, middle);
      map.obstacles.push_back(static_cast<char>('0' + static_cast<int>(reach.obstacle)));
    }
  }
  return map;
}

bool DrawnCurve::reachable() const
{
  return std::all_of(obstacles.begin(), obstacles.end(), [](Obstacle obstacle) {
    return obstacle == Obstacle::none;
  });
}

DrawnCurve drawn_curve(const RobotModel & robot, const Curve & curve, std::size_t points)
{
  DrawnCurve drawn;
  Eigen::Vector2d near = robot.parameters().home;
  for (std::size_t i = 0; i <= points; ++i)
  {
    const double t = curve.duration() * static_cast<double>(i) / static_cast<double>(points);
    const Motion2 point = curve.at(t);
    drawn.t.push_back(t);
    drawn.x.push_back(point.position[0]);
    drawn.y.push_back(point.position[1]);
    drawn.obstacles.push_back(obstacle_at(robot, point, near));
  }
  return drawn;
}

std::optional<Eigen::Vector2d> move_into_reach(const RobotModel & robot, const Curve & curve)
{
  constexpr int directions = 16;
  constexpr double step = 0.002;
  constexpr double farthest = 0.12;
  constexpr double reserve = 0.001;
  constexpr int points = 80;
  std::vector<Motion2> motion;
  for (int i = 0; i <= points; ++i)
  {
    motion.push_back(curve.at(curve.duration() * i / points));
  }
  const auto fits = [&](const Eigen::Vector2d & move) {
    Eigen::Vector2d near = robot.parameters().home;
    return std::all_of(motion.begin(), motion.end(), [&](Motion2 point) {
      point.position += move;
      return obstacle_at(robot, point, near) == Obstacle::none;
    });
  };
  for (double distance = step; distance <= farthest; distance += step)
  {
    for (int direction = 0; direction < directions; ++direction)
    {
      const double angle = 2.0 * std::numbers::pi * direction / directions;
      const Eigen::Vector2d way(std::cos(angle), std::sin(angle));
      if (fits(distance * way) && fits((distance + reserve) * way))
      {
        return (distance + reserve) * way;
      }
    }
  }
  return std::nullopt;
}

}  // namespace fivebar_control
