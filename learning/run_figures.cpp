// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/learning/learn.hpp"
#include "fivebar_control/learning/recorded_motion.hpp"
#include "fivebar_control/runs/tracking_score.hpp"

namespace fivebar_control
{
namespace
{

/// Trapezoids over the cycles in which the plan was playing.
template <class Square>
double integral(const RunRecord & run, const Square & square)
{
  double sum = 0.0;
  double before = 0.0;
  double time_before = 0.0;
  bool has_before = false;
  for (std::size_t i = 0; i < run.size(); ++i)
  {
    if (run.state[i] == ControlState::playing)
    {
      const double now = square(i);
      sum += has_before ? 0.5 * (now + before) * (run.t[i] - time_before) : 0.0;
      before = now;
      time_before = run.t[i];
      has_before = true;
    }
  }
  return sum;
}

}  // namespace

double measured_ise(const RunRecord & run)
{
  return integral(
    run, [&](std::size_t i) { return (run.measured(i) - run.planned(i)).squaredNorm(); });
}

double true_ise(const RunRecord & run)
{
  return integral(
    run, [&](std::size_t i) { return (run.truly(i) - run.planned(i)).squaredNorm(); });
}

double encoder_floor(const RunRecord & run, const Geometry<double> & geometry)
{
  const Eigen::Vector2d resolution = encoder_resolution(run);
  return integral(run, [&](std::size_t i) {
    return rounding_of_point(geometry, {run.reference[0][i], run.reference[1][i]}, resolution);
  });
}

}  // namespace fivebar_control
