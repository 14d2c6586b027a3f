// SPDX-License-Identifier: Apache-2.0
// Joint trajectories, as ROS 2 messages bring them: refused with an InputError, or a plan that the
// robot can follow within its limits, from where it stands to where it is to stand.
#include <cmath>

#include "fivebar_control/plan/joint_trajectory.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "input_stream.hpp"
#include "known_robot.hpp"

namespace fivebar_control::fuzz
{

void joint_trajectory(Bytes bytes)
{
  InputStream stream(bytes);
  const std::uint8_t first = stream.byte();
  const bool wild = (first & 4) != 0;
  const auto number = [&](double size) { return wild ? stream.anything() : size * stream.share(); };
  const auto pair = [&](double size) {
    const double one = number(size);
    return Eigen::Vector2d(one, number(size));
  };
  JointMotion start;
  start.phi = known_robot().parameters().home;
  std::vector<TrajectoryPoint> points;
  double time = (first & 8) != 0 ? 0.0 : 0.2;
  while (stream.has_more() && points.size() < 50)
  {
    TrajectoryPoint point;
    time += wild ? stream.anything() : 0.3 * std::abs(stream.share());
    point.t = time;
    point.phi = start.phi + pair(1.5);
    if ((first & 1) != 0)
    {
      point.speed = pair(5.0);
    }
    if ((first & 2) != 0)
    {
      point.acceleration = pair(50.0);
    }
    points.push_back(point);
  }
  if (!points.empty() && (first & 16) != 0)
  {
    points.back().speed =
      (first & 1) != 0 ? std::optional(Eigen::Vector2d(0.0, 0.0)) : std::nullopt;
  }
  if (!points.empty() && points.back().t > 20.0 && points.back().t <= 3600.0)
  {
    return;  // takes long, and is no other code
  }
  try
  {
    const Plan plan = plan_of_trajectory(known_robot(), points, start, "trajectory");
    require_plan_fits(plan, known_robot(), "trajectory");
    require(plan.samples.t.front() == 0.0, "it begins at once");
    require(
      std::abs(plan.samples.t.back() - points.back().t) < 1e-9, "it lasts as long as it says");
    const std::size_t last = plan.samples.size() - 1;
    require((plan.samples.phi(last) - points.back().phi).norm() < 1e-9, "it ends where it says");
    require(plan.samples.speed(last).norm() < 2e-3, "it ends at rest");
    require(plan_text(parse_plan(plan_text(plan), "again")) == plan_text(plan), "it can be kept");
  }
  catch (const InputError &)
  {
  }
}

}  // namespace fivebar_control::fuzz
