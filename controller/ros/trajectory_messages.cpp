// SPDX-License-Identifier: Apache-2.0
#include "trajectory_messages.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <rclcpp/duration.hpp>
#include <rclcpp/time.hpp>

namespace fivebar_control
{
namespace
{

constexpr const char * name = "trajectory";

/// Where our joints stand in the message.
std::array<std::size_t, 2> places_of(
  const std::vector<std::string> & names, const JointNames & joints)
{
  std::array<std::size_t, 2> places{};
  for (std::size_t i = 0; i < 2; ++i)
  {
    const auto found = std::find(names.begin(), names.end(), joints.names[i]);
    if (found == names.end() || names.size() != 2)
    {
      throw WrongJoints(fmt::format(
        "{}: expected the joints {} and {}, got [{}]", name, joints.names[0], joints.names[1],
        fmt::join(names, ", ")));
    }
    places[i] = static_cast<std::size_t>(found - names.begin());
  }
  return places;
}

std::optional<Eigen::Vector2d> pair_of(
  const std::vector<double> & values, const std::array<std::size_t, 2> & places, std::size_t point,
  const char * what)
{
  if (values.empty())
  {
    return std::nullopt;
  }
  if (values.size() != 2)
  {
    throw InputError(
      {name}, fmt::format(
                "point {}: expected 2 {}, one per joint, got {}", point + 1, what, values.size()));
  }
  return Eigen::Vector2d(values[places[0]], values[places[1]]);
}

/// 0 stands for "as the controller has it", which is none; negative for none.
void take_tolerance(double given, double & tolerance)
{
  tolerance = given > 0.0 ? given : tolerance;
}

}  // namespace

std::vector<TrajectoryPoint> points_of(
  const trajectory_msgs::msg::JointTrajectory & message, const JointNames & joints,
  std::int64_t now_ns)
{
  const std::array<std::size_t, 2> places = places_of(message.joint_names, joints);
  const std::int64_t stamp_ns = rclcpp::Time(message.header.stamp).nanoseconds();
  const double delay = stamp_ns == 0 ? 0.0 : 1e-9 * static_cast<double>(stamp_ns - now_ns);
  std::vector<TrajectoryPoint> points;
  points.reserve(message.points.size());
  for (std::size_t i = 0; i < message.points.size(); ++i)
  {
    const auto & from = message.points[i];
    const auto phi = pair_of(from.positions, places, i, "positions");
    if (!phi)
    {
      throw InputError({name}, fmt::format("point {} has no positions", i + 1));
    }
    TrajectoryPoint point;
    point.t = delay + rclcpp::Duration(from.time_from_start).seconds();
    point.phi = *phi + joints.zero_angle;
    point.speed = pair_of(from.velocities, places, i, "velocities");
    point.acceleration = pair_of(from.accelerations, places, i, "accelerations");
    if (delay >= 0.0 || point.t > 0.0)
    {
      points.push_back(point);
    }
  }
  if (points.empty() && !message.points.empty())
  {
    throw TrajectoryOfThePast(
      fmt::format("{}: it ended {:.3f} s ago, by its header's stamp", name, -delay));
  }
  return points;
}

RunTolerances tolerances_of(
  const control_msgs::action::FollowJointTrajectory::Goal & goal, const JointNames & joints)
{
  const auto index_of = [&joints](const std::string & joint) {
    const auto found = std::find(joints.names.begin(), joints.names.end(), joint);
    if (found == joints.names.end())
    {
      throw WrongJoints(fmt::format("{}: a tolerance is for the joint '{}'", name, joint));
    }
    return static_cast<int>(found - joints.names.begin());
  };
  RunTolerances tolerances;
  for (const auto & given : goal.path_tolerance)
  {
    const int i = index_of(given.name);
    take_tolerance(given.position, tolerances.path[i]);
    take_tolerance(given.velocity, tolerances.path_speed[i]);
  }
  for (const auto & given : goal.goal_tolerance)
  {
    const int i = index_of(given.name);
    take_tolerance(given.position, tolerances.goal[i]);
    take_tolerance(given.velocity, tolerances.goal_speed[i]);
  }
  take_tolerance(rclcpp::Duration(goal.goal_time_tolerance).seconds(), tolerances.goal_time);
  return tolerances;
}

trajectory_msgs::msg::JointTrajectoryPoint point_of(
  const Eigen::Vector2d & phi, const Eigen::Vector2d & speed, const Eigen::Vector2d & zero_angle)
{
  trajectory_msgs::msg::JointTrajectoryPoint point;
  point.positions = {phi[0] - zero_angle[0], phi[1] - zero_angle[1]};
  point.velocities = {speed[0], speed[1]};
  return point;
}

}  // namespace fivebar_control
