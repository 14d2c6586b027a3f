// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/learning/excite.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "evolution_search.hpp"
#include "excitation_information.hpp"
#include "excitation_series.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/plan/playable_plan.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/package_version.hpp"

namespace fivebar_control
{
namespace
{

constexpr double node_step = 2e-3;         // s, of the plan
constexpr double search_step = 5e-3;       // s, of sensitivities and limits while searching
constexpr double highest_frequency = 5.0;  // Hz

class MotionSearch
{
public:
  MotionSearch(const RobotModel & robot, const ExciteOptions & options)
  : robot_(robot),
    options_(options),
    room_(robot, options),
    information_(robot, options),
    center_(room_.widest_pose()),
    radius_(std::max(0.1, room_.clearance(center_)))
  {
  }

  Excitation run(const ExciteProgress & progress)
  {
    Excitation result;
    EvolutionSearch search(Eigen::VectorXd::Zero(ExcitationSeries::unknowns), 0.5, options_.seed);
    const auto cost = [this](const Eigen::VectorXd & v) { return cost_of(v); };
    while (search.evaluations() < options_.most_motions && !search.finished())
    {
      search.advance(cost);
      if (result.motions == 0)
      {
        result.first_worst = search.best_cost();
      }
      result.motions = search.evaluations();
      if (progress && !progress(result.motions, search.best_cost()))
      {
        result.cancelled = true;
        break;
      }
    }
    if (!std::isfinite(search.best_cost()))
    {
      throw InputError(fmt::format(
        "no motion of {:g} s keeps the limits: expected more volts, a longer --duration or a "
        "smaller --clearance",
        options_.duration));
    }
    result.plan = plan_of(*fitted(search.best()), result.motions);
    return result;
  }

private:
  /// Unknowns in order: centre, logarithms of frequencies, amplitudes of speed.
  ExcitationSeries series_of(const Eigen::VectorXd & v) const
  {
    ExcitationSeries series;
    series.duration = options_.duration;
    series.ramp = options_.ramp;
    series.center = center_ + 0.3 * radius_ * v.head<2>();
    const double lowest = 1.0 / (options_.duration - options_.ramp);
    const double highest = std::max(highest_frequency, 2.0 * lowest);
    constexpr int n = ExcitationSeries::frequencies;
    Eigen::Index next = 2;
    for (int i = 0; i < n; ++i)
    {
      const double share = (i + 0.5) / n + 0.15 * v[next++];
      const double f = lowest * std::pow(0.6 * highest / lowest, share);
      series.angular[static_cast<std::size_t>(i)] =
        2.0 * std::numbers::pi * std::clamp(f, 0.5 * lowest, highest);
    }
    for (std::size_t i = 0; i < series.angular.size(); ++i)
    {
      const double size = 1.0 / series.angular[i];
      series.sine[i] = size * v.segment<2>(next);
      series.cosine[i] = size * v.segment<2>(next + 2);
      next += 4;
    }
    return series;
  }

  /// The boldest motion of this shape.
  std::optional<ExcitationSeries> fitted(const Eigen::VectorXd & v) const
  {
    const ExcitationSeries series = series_of(v);
    const std::optional<double> scale = room_.largest_scale(series, search_step);
    return scale ? std::optional(series.scaled(*scale)) : std::nullopt;
  }

  double cost_of(const Eigen::VectorXd & v) const
  {
    const std::optional<ExcitationSeries> series = fitted(v);
    if (!series)
    {
      return std::numeric_limits<double>::infinity();
    }
    const auto path = [&](double t) {
      const ExcitationSeries::Point p = series->at(t);
      return std::pair(p.x, inverse_dynamics<double>(robot_.constants(), p.x, p.acceleration));
    };
    return information_.worst(information_.of(path, series->duration, search_step));
  }

  Plan plan_of(ExcitationSeries series, int motions) const
  {
    Plan plan;
    plan.package_version = package_version();
    plan.robot_name = robot_.parameters().name;
    plan.robot_fingerprint = robot_.fingerprint();
    plan.curve_name = options_.name;
    plan.bounds.voltage = room_.voltage();
    plan.bounds.voltage_rate = robot_.limits().voltage_rate;
    plan.solver = "excitation";
    plan.verdict = Verdict::converged;
    plan.iterations = motions;
    // Between the places that the search looked at, a motion may be a little outside.
    while (!room_.holds(series, node_step))
    {
      series = series.scaled(0.995);
    }
    fill(plan, series);
    require_plan_fits(plan, robot_, options_.name);
    return plan;
  }

  void fill(Plan & plan, const ExcitationSeries & series) const
  {
    const auto steps = static_cast<int>(std::lround(series.duration / node_step));
    plan.time_step = series.duration / steps;
    PlanSamples & s = plan.samples;
    for (int i = 0; i <= steps; ++i)
    {
      const double t = series.duration * i / steps;
      const ExcitationSeries::Point p = series.at(t);
      const Eigen::Vector2d u = inverse_dynamics<double>(robot_.constants(), p.x, p.acceleration);
      const Eigen::Vector2d point =
        robot_.kinematics().forward(Eigen::Vector2d(p.x.head<2>()))->end_effector;
      s.t.push_back(t);
      s.u1.push_back(u[0]);
      s.u4.push_back(u[1]);
      s.phi1.push_back(p.x[0]);
      s.phi4.push_back(p.x[1]);
      s.dphi1.push_back(p.x[2]);
      s.dphi4.push_back(p.x[3]);
      s.x.push_back(point[0]);
      s.y.push_back(point[1]);
      plan.quality.largest_voltage =
        std::max(plan.quality.largest_voltage, u.cwiseAbs().maxCoeff());
    }
    plan.quality.first_voltage = s.volts(0).cwiseAbs().maxCoeff();
  }

  const RobotModel & robot_;
  const ExciteOptions & options_;
  ExcitationRoom room_;
  ExcitationInformation information_;
  Eigen::Vector2d center_;
  double radius_;  ///< rad, room around the centre
};

}  // namespace

double Excitation::worst() const
{
  double worst = 0.0;
  for (const ExpectedSigma & e : expected)
  {
    worst = e.wanted ? std::max(worst, e.share()) : worst;
  }
  return worst;
}

std::vector<ExpectedSigma> expected_sigmas(
  const RobotModel & robot, const Plan & plan, const ExciteOptions & options)
{
  const PlayablePlan played(plan.samples);
  std::size_t interval = 0;
  const auto path = [&](double t) {
    const Reference at = played.at(t, interval);
    Eigen::Vector4d x;
    x << at.phi, at.speed;
    return std::pair(x, at.feedforward);
  };
  const ExcitationInformation information(robot, options);
  return information.expected(information.of(path, played.duration(), 1.0 / options.rate));
}

Excitation excite(
  const RobotModel & robot, const ExciteOptions & options, const ExciteProgress & progress)
{
  if (!(options.duration >= 4.0 * options.ramp))
  {
    throw InputError(fmt::format(
      "a motion of {:g} s with ramps of {:g} s is all ramp: expected at least {:g} s",
      options.duration, options.ramp, 4.0 * options.ramp));
  }
  Excitation result = MotionSearch(robot, options).run(progress);
  result.expected = expected_sigmas(robot, result.plan, options);
  return result;
}

}  // namespace fivebar_control
