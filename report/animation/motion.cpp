// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/report/motion.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "fivebar_control/planner/plan_request.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

constexpr int curve_points = 600;

/// A plan without a curve is its own: the distance is that from the planned path.
void compare_with_plan(const PlanSamples & samples, Motion & motion)
{
  for (std::size_t i = 0; i < samples.size(); ++i)
  {
    motion.curve.push_back(samples.point(i));
  }
  std::size_t node = 0;
  for (std::size_t i = 0; i < motion.time.size(); ++i)
  {
    while (node + 2 < samples.size() && samples.t[node + 1] < motion.time[i])
    {
      ++node;
    }
    const double share = std::clamp(
      (motion.time[i] - samples.t[node]) / (samples.t[node + 1] - samples.t[node]), 0.0, 1.0);
    const Eigen::Vector2d planned =
      samples.point(node) + share * (samples.point(node + 1) - samples.point(node));
    motion.error.push_back((motion.point[i] - planned).norm());
  }
}

/// Fills what follows from time and P: the curve and the distance from it.
void compare_with_curve(const Plan & plan, Motion & motion)
{
  if (plan.request.empty())
  {
    compare_with_plan(plan.samples, motion);
    return;
  }
  const CurvePointer curve = parse_plan_request(plan.request, "the plan's curve").curve;
  for (int i = 0; i <= curve_points; ++i)
  {
    motion.curve.push_back(curve->at(curve->duration() * i / curve_points).position);
  }
  for (std::size_t i = 0; i < motion.time.size(); ++i)
  {
    const double t = std::min(motion.time[i], curve->duration());
    motion.error.push_back((motion.point[i] - curve->at(t).position).norm());
  }
}

}  // namespace

std::size_t Motion::row_at(double t) const
{
  const auto after = std::upper_bound(time.begin(), time.end(), t);
  return after == time.begin() ? 0 : static_cast<std::size_t>(after - time.begin()) - 1;
}

Motion motion_of_plan(const Plan & plan)
{
  const PlanSamples & s = plan.samples;
  Motion motion;
  motion.title = plan.curve_name + ": the plan";
  motion.time = s.t;
  for (std::size_t i = 0; i < s.size(); ++i)
  {
    motion.phi.push_back(s.phi(i));
    motion.volts.push_back(s.volts(i));
    motion.point.push_back(s.point(i));
  }
  compare_with_curve(plan, motion);
  return motion;
}

Motion motion_of_run(const Plan & plan, const RunRecord & run)
{
  Motion motion;
  motion.measured = true;
  motion.title = fmt::format("{}: {} on {}", plan.curve_name, run.mode, run.hardware);
  for (std::size_t i = 0; i < run.size(); ++i)
  {
    const double time = run.plan_time[i];
    const bool playing = run.state[i] == ControlState::playing;
    if (!playing || (!motion.time.empty() && time <= motion.time.back()))
    {
      continue;
    }
    motion.time.push_back(time);
    motion.phi.emplace_back(run.angle[0][i], run.angle[1][i]);
    motion.volts.emplace_back(run.applied[0][i], run.applied[1][i]);
    motion.point.push_back(run.measured(i));
  }
  if (motion.time.size() < 2)
  {
    throw InputError({run.file}, "the plan was not played in this run");
  }
  compare_with_curve(plan, motion);
  return motion;
}

}  // namespace fivebar_control
