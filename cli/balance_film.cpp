// SPDX-License-Identifier: Apache-2.0
#include "balance_film.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace fivebar_control::cli
{
namespace
{

constexpr double degree = std::numbers::pi / 180.0;

/// Seen from the front, a little from the left and from above; parallel, so that lengths compare.
Eigen::Vector2d seen(const Eigen::Vector3d & p)
{
  const double turn = 25.0 * degree;
  const double height = 28.0 * degree;
  const Eigen::Vector3d right(std::cos(turn), std::sin(turn), 0.0);
  const Eigen::Vector3d up(
    -std::sin(turn) * std::sin(height), std::cos(turn) * std::sin(height), std::cos(height));
  return {right.dot(p), up.dot(p)};
}

Eigen::Vector2d seen(const Eigen::Vector2d & p) { return seen(Eigen::Vector3d(p.x(), p.y(), 0.0)); }

}  // namespace

Skeleton skeleton_of_balance(
  const BalanceTrial & trial, const PendulumConstants<double> & constants,
  const std::string & title, double longest)
{
  Skeleton film;
  film.title = title;
  film.across = "to the right of the view [m]";
  film.upwards = "upwards in the view [m]";
  film.bars.resize(5);
  film.signals = {{"tilt [deg]", {}}, {"V1 [V]", {}}};
  constexpr double frame = 0.01;  // s
  double next = 0.0;
  for (const BalanceSample & s : trial.samples)
  {
    if (s.time > longest)
    {
      break;
    }
    if (s.time + 1e-9 < next)
    {
      continue;
    }
    next += frame;
    const PendulumFigure f = figure_of(constants, s.truth);
    const std::array<std::array<Eigen::Vector2d, 2>, 5> bars{
      {{seen(f.pivot_1), seen(f.elbow_1)},
       {seen(f.elbow_1), seen(f.point)},
       {seen(f.elbow_4), seen(f.point)},
       {seen(f.pivot_4), seen(f.elbow_4)},
       {seen(f.point), seen(f.tip)}}};
    for (std::size_t i = 0; i < bars.size(); ++i)
    {
      film.bars[i].from.push_back(bars[i][0]);
      film.bars[i].to.push_back(bars[i][1]);
    }
    film.trace.push_back(bars[4][1]);
    film.time.push_back(s.time);
    film.signals[0].values.push_back(tilt_of(constants, s.truth) / degree);
    film.signals[1].values.push_back(s.volts[0]);
  }
  return film;
}

}  // namespace fivebar_control::cli
