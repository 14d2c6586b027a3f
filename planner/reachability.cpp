// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/reachability.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace fivebar_control
{
namespace
{

/// By how much a point is out of the reach of one arm (positive), in metres.
double out_of_reach(
  const Eigen::Vector2d & pivot, double driven, double distal, const Eigen::Vector2d & p)
{
  const double distance = (p - pivot).norm();
  return std::max(distance - (driven + distal), std::abs(driven - distal) - distance);
}

std::string too_near(
  const Reach & reach, const std::string & place, const char * links, double limit)
{
  return fmt::format(
    "the curve comes too near a singularity {}: |sin| between {} is {:.4g}, {:.4g} below the "
    "robot's limit {:.4g}",
    place, links, reach.value, reach.excess, limit);
}

std::string out_of_range(
  const Reach & reach, const Limits & limits, const std::string & place, std::size_t j)
{
  return fmt::format(
    "the curve leaves the joint range {}: phi{} = {:.4g} rad is {:.4g} rad outside of {:.4g} to "
    "{:.4g} rad",
    place, j == 0 ? 1 : 4, reach.value, reach.excess, limits.joint_minimum[j],
    limits.joint_maximum[j]);
}

}  // namespace

Reach reach_of(const RobotModel & robot, const Motion2 & point, const Eigen::Vector2d & near)
{
  const Kinematics & kinematics = robot.kinematics();
  const Geometry<double> & g = kinematics.geometry();
  const Limits & limits = robot.limits();
  const auto driven = kinematics.inverse_motion(point, robot.working_mode(), near);
  if (!driven)
  {
    const double out = std::max(
      out_of_reach(g.pivot_1, g.l1, g.l2, point.position),
      out_of_reach(g.pivot_4, g.l4, g.l3, point.position));
    return {out > 0.0 ? Obstacle::out_of_reach : Obstacle::other_assembly, out, out, {}};
  }
  const auto pose = kinematics.forward(driven->position);
  const double parallel = pose ? pose->margins.parallel : 0.0;
  if (parallel < limits.singularity_margin)
  {
    return {Obstacle::parallel_singularity, parallel, limits.singularity_margin - parallel, {}};
  }
  const double serial_limit = limits.serial_singularity_margin;
  if (pose->margins.serial_1 < serial_limit)
  {
    const double margin = pose->margins.serial_1;
    return {Obstacle::serial_singularity_1, margin, serial_limit - margin, {}};
  }
  if (pose->margins.serial_4 < serial_limit)
  {
    const double margin = pose->margins.serial_4;
    return {Obstacle::serial_singularity_4, margin, serial_limit - margin, {}};
  }
  for (const std::size_t j : {0U, 1U})
  {
    const double phi = driven->position[static_cast<int>(j)];
    const double out = std::max(limits.joint_minimum[j] - phi, phi - limits.joint_maximum[j]);
    if (out > 0.0)
    {
      return {j == 0 ? Obstacle::joint_range_1 : Obstacle::joint_range_4, phi, out, {}};
    }
  }
  return {Obstacle::none, 0.0, 0.0, *driven};
}

std::string sentence_of(const Reach & reach, const RobotModel & robot, const std::string & place)
{
  const Limits & limits = robot.limits();
  switch (reach.obstacle)
  {
    case Obstacle::none:
      break;
    case Obstacle::out_of_reach:
      return fmt::format(
        "the curve leaves the workspace {}: {:.4g} mm out of reach", place, 1e3 * reach.value);
    case Obstacle::other_assembly:
      return fmt::format(
        "the curve cannot be drawn {}: the point is reached only in the other assembly mode, "
        "beyond the singularity where links 2 and 3 lie on a line",
        place);
    case Obstacle::parallel_singularity:
      return too_near(reach, place, "links 2 and 3", limits.singularity_margin);
    case Obstacle::serial_singularity_1:
      return too_near(reach, place, "links 1 and 2", limits.serial_singularity_margin);
    case Obstacle::serial_singularity_4:
      return too_near(reach, place, "links 4 and 3", limits.serial_singularity_margin);
    case Obstacle::joint_range_1:
      return out_of_range(reach, limits, place, 0);
    case Obstacle::joint_range_4:
      return out_of_range(reach, limits, place, 1);
  }
  return {};
}

}  // namespace fivebar_control
