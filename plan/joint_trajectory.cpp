// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/plan/joint_trajectory.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/package_version.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::size_t most_points = 100'000;
constexpr double longest = 3600.0;       // s
constexpr double shortest_gap = 1e-4;    // s between points
constexpr double standing_speed = 1e-3;  // rad/s that count as none

[[noreturn]] void refuse(const std::string & name, const std::string & what)
{
  throw InputError({name}, what);
}

void require_finite(
  const std::string & name, std::size_t point, const char * what, const Eigen::Vector2d & values)
{
  if (!values.allFinite())
  {
    refuse(
      name,
      fmt::format("point {}: {} ({}, {}) are not finite", point + 1, what, values[0], values[1]));
  }
}

void require_sense(const std::vector<TrajectoryPoint> & points, const std::string & name)
{
  if (points.empty() || points.size() > most_points)
  {
    refuse(name, fmt::format("expected 1 to {} points, got {}", most_points, points.size()));
  }
  const TrajectoryPoint & first = points.front();
  double before = -shortest_gap;
  for (std::size_t i = 0; i < points.size(); ++i)
  {
    const TrajectoryPoint & p = points[i];
    if (!(p.t >= before + shortest_gap) || !(p.t <= longest))
    {
      refuse(
        name, fmt::format(
                "point {} is at {} s: expected at least {} s after the point before and at most "
                "{} s",
                i + 1, p.t, shortest_gap, longest));
    }
    before = p.t;
    if (
      p.speed.has_value() != first.speed.has_value() ||
      p.acceleration.has_value() != first.acceleration.has_value())
    {
      refuse(
        name, fmt::format("point {}: all points have speeds (accelerations), or none has", i + 1));
    }
    require_finite(name, i, "angles", p.phi);
    require_finite(name, i, "speeds", p.speed.value_or(Eigen::Vector2d::Zero()));
    require_finite(name, i, "accelerations", p.acceleration.value_or(Eigen::Vector2d::Zero()));
  }
  if (first.acceleration && !first.speed)
  {
    refuse(name, "accelerations without speeds: give both, or neither");
  }
  const Eigen::Vector2d last = points.back().speed.value_or(Eigen::Vector2d::Zero());
  if (last.cwiseAbs().maxCoeff() > standing_speed)
  {
    refuse(
      name, fmt::format(
              "the last point has the speeds ({:.4g}, {:.4g}) rad/s: a trajectory ends at rest",
              last[0], last[1]));
  }
  if (points.back().t <= 0.0)
  {
    refuse(name, "the trajectory takes no time");
  }
}

void add_node(const RobotModel & robot, double t, const JointMotion & motion, Plan & plan)
{
  const auto pose = robot.kinematics().forward(motion.phi);
  if (!pose)
  {
    refuse(
      plan.curve_name,
      fmt::format(
        "at t = {:.6g} s the linkage cannot close: phi1 = {:.6g}, phi4 = {:.6g} rad", t,
        motion.phi[0], motion.phi[1]));
  }
  Eigen::Vector4d x;
  x << motion.phi, motion.speed;
  const Eigen::Vector2d volts = inverse_dynamics<double>(robot.constants(), x, motion.acceleration);
  PlanSamples & s = plan.samples;
  s.t.push_back(t);
  s.u1.push_back(volts[0]);
  s.u4.push_back(volts[1]);
  s.phi1.push_back(motion.phi[0]);
  s.phi4.push_back(motion.phi[1]);
  s.dphi1.push_back(motion.speed[0]);
  s.dphi4.push_back(motion.speed[1]);
  s.x.push_back(pose->end_effector[0]);
  s.y.push_back(pose->end_effector[1]);
  plan.quality.largest_voltage =
    std::max(plan.quality.largest_voltage, volts.cwiseAbs().maxCoeff());
}

}  // namespace

JointPath::JointPath(
  const std::vector<TrajectoryPoint> & points, const JointMotion & start, const std::string & name)
{
  require_sense(points, name);
  knots_.reserve(points.size() + 1);
  const bool has_speeds = points.front().speed.has_value();
  const bool has_accelerations = points.front().acceleration.has_value();
  if (points.front().t > 0.0)
  {
    knots_.push_back({0.0, start.phi, start.speed, start.acceleration});
  }
  for (const TrajectoryPoint & p : points)
  {
    knots_.push_back(
      {p.t, p.phi, p.speed.value_or(Eigen::Vector2d::Zero()),
       p.acceleration.value_or(Eigen::Vector2d::Zero())});
  }
  const Eigen::Vector2d begins = knots_.front().speed - start.speed;
  if (begins.cwiseAbs().maxCoeff() > standing_speed)
  {
    refuse(
      name, fmt::format(
              "the first point has the speeds ({:.4g}, {:.4g}) rad/s, the robot ({:.4g}, {:.4g})",
              knots_.front().speed[0], knots_.front().speed[1], start.speed[0], start.speed[1]));
  }
  if (!has_speeds)
  {
    knots_.front().speed = start.speed;
    fill_speeds();
  }
  if (!has_accelerations)
  {
    knots_.front().acceleration = start.acceleration;
    fill_accelerations();
  }
}

/// Cubic spline with given speeds at both ends: continuous second derivative at each inner knot,
/// v₋/h₋ + 2 (1/h₋ + 1/h₊) v + v₊/h₊ = 3 (Δ₋/h₋² + Δ₊/h₊²), by elimination from the left.
void JointPath::fill_speeds()
{
  const std::size_t last = knots_.size() - 1;
  std::vector<double> ratio(knots_.size(), 0.0);
  for (std::size_t i = 1; i < last; ++i)
  {
    const Knot & left = knots_[i - 1];
    Knot & here = knots_[i];
    const Knot & right = knots_[i + 1];
    const double a = 1.0 / (here.t - left.t);
    const double b = 1.0 / (right.t - here.t);
    const double diagonal = 2.0 * (a + b) - a * ratio[i - 1];
    ratio[i] = b / diagonal;
    const Eigen::Vector2d sum =
      3.0 * (a * a * (here.phi - left.phi) + b * b * (right.phi - here.phi));
    here.speed = (sum - a * left.speed) / diagonal;
  }
  for (std::size_t i = last; i-- > 1;)
  {
    knots_[i].speed -= ratio[i] * knots_[i + 1].speed;
  }
}

void JointPath::fill_accelerations()
{
  for (std::size_t i = 1; i + 1 < knots_.size(); ++i)
  {
    const Knot & left = knots_[i - 1];
    Knot & here = knots_[i];
    const Knot & right = knots_[i + 1];
    const double g = here.t - left.t;
    const double h = right.t - here.t;
    const Eigen::Vector2d before =
      (2.0 * left.speed + 4.0 * here.speed) / g - 6.0 / (g * g) * (here.phi - left.phi);
    const Eigen::Vector2d after =
      6.0 / (h * h) * (right.phi - here.phi) - (4.0 * here.speed + 2.0 * right.speed) / h;
    here.acceleration = 0.5 * (before + after);
  }
}

JointMotion JointPath::at(double time) const
{
  const auto after = std::upper_bound(
    knots_.begin() + 1, knots_.end() - 1, time, [](double t, const Knot & k) { return t < k.t; });
  const Knot & a = *(after - 1);
  const Knot & b = *after;
  const double h = b.t - a.t;
  const double s = std::clamp((time - a.t) / h, 0.0, 1.0);
  // phi = a.phi + c1 s + ... + c5 s⁵ with value and two derivatives given at s = 0 and s = 1.
  const Eigen::Vector2d c1 = h * a.speed;
  const Eigen::Vector2d c2 = 0.5 * h * h * a.acceleration;
  const Eigen::Vector2d d = b.phi - a.phi - c1 - c2;
  const Eigen::Vector2d e = h * b.speed - c1 - 2.0 * c2;
  const Eigen::Vector2d f = h * h * b.acceleration - 2.0 * c2;
  const Eigen::Vector2d c3 = 10.0 * d - 4.0 * e + 0.5 * f;
  const Eigen::Vector2d c4 = -15.0 * d + 7.0 * e - f;
  const Eigen::Vector2d c5 = 6.0 * d - 3.0 * e + 0.5 * f;
  JointMotion motion;
  motion.phi = a.phi + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5))));
  motion.speed = (c1 + s * (2.0 * c2 + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / h;
  motion.acceleration = (2.0 * c2 + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5))) / (h * h);
  return motion;
}

Plan plan_of_trajectory(
  const RobotModel & robot, const std::vector<TrajectoryPoint> & points, const JointMotion & start,
  const std::string & name, double time_step)
{
  const JointPath path(points, start, name);
  const auto intervals =
    static_cast<std::size_t>(std::max(1.0, std::ceil(path.duration() / time_step - 1e-9)));
  Plan plan;
  plan.package_version = package_version();
  plan.robot_name = robot.parameters().name;
  plan.robot_fingerprint = robot.fingerprint();
  plan.curve_name = name;
  plan.time_step = path.duration() / static_cast<double>(intervals);
  plan.bounds = {robot.limits().voltage, robot.limits().voltage_rate};
  plan.solver = "inverse dynamics";
  plan.verdict = Verdict::converged;
  PlanSamples & s = plan.samples;
  visit_columns(
    s, [&](const char *, std::vector<double> & column) { column.reserve(intervals + 1); });
  for (std::size_t i = 0; i <= intervals; ++i)
  {
    const double t = i == intervals ? path.duration() : static_cast<double>(i) * plan.time_step;
    add_node(robot, t, path.at(t), plan);
  }
  plan.quality.first_voltage = std::max(std::abs(s.u1[0]), std::abs(s.u4[0]));
  require_plan_fits(plan, robot, name);
  return plan;
}

}  // namespace fivebar_control
