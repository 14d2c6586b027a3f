// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

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

double ise_of_difference(const RunRecord & a, const RunRecord & b)
{
  // Runs of one plan have the same rows as long as it is playing; half of the square of a
  // difference is what each of them has.
  const auto first = [](const RunRecord & run) {
    return static_cast<std::size_t>(
      std::find(run.state.begin(), run.state.end(), ControlState::playing) - run.state.begin());
  };
  const std::size_t shift_a = first(a);
  const std::size_t shift_b = first(b);
  return integral(a, [&](std::size_t i) {
    const std::size_t j = i - shift_a + shift_b;
    return j < b.size() ? 0.5 * (a.measured(i) - b.measured(j)).squaredNorm() : 0.0;
  });
}

double encoder_floor(const RunRecord & run, const Geometry<double> & geometry)
{
  const Eigen::Vector2d resolution = encoder_resolution(run);
  return integral(run, [&](std::size_t i) {
    return rounding_of_point(geometry, {run.reference[0][i], run.reference[1][i]}, resolution);
  });
}

}  // namespace fivebar_control
