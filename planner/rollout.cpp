// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/planner/rollout.hpp"

#include <algorithm>
#include <cmath>

#include "fivebar_control/planner/cost_quadrature.hpp"

namespace fivebar_control
{
namespace
{

/// Evaluates the dynamics at one stage, keeping the directions of the driven links.
struct StageEvaluator
{
  const DynamicsConstants<double> & k;
  StageDirections & directions;

  Terms<double> terms(double phi1, double phi4, std::size_t stage, std::size_t i) const
  {
    const Eigen::Vector2d e1(std::cos(phi1), std::sin(phi1));
    const Eigen::Vector2d e4(std::cos(phi4), std::sin(phi4));
    directions[4 * stage][i] = e1[0];
    directions[4 * stage + 1][i] = e1[1];
    directions[4 * stage + 2][i] = e4[0];
    directions[4 * stage + 3][i] = e4[1];
    return terms_at<double>(k, close_linkage<double>(k.geometry, e1, e4));
  }

  Eigen::Vector2d acceleration(
    const Terms<double> & t, double w1, double w4, double u1, double u4) const
  {
    const Eigen::Vector2d b = bias_force<double>(k, t, w1, w4);
    return solve_mass<double>(
      t, drive_torque<double>(k, 0, w1, u1) - b[0], drive_torque<double>(k, 1, w4, u4) - b[1]);
  }
};

/// Entries past the end repeat the last node, so that SIMD code meets finite numbers there.
void fill_padding(
  const TrackingProblem & problem, Trajectory & result, StageDirections & directions)
{
  const std::size_t last = problem.intervals;
  for (std::size_t c = 0; c < 16; ++c)
  {
    const double value = directions[c % 4][last];
    std::fill_n(directions[c] + last, Channels<16>::padding, value);
  }
  for (std::size_t c = 0; c < 4; ++c)
  {
    std::fill_n(result.state[c] + last, Channels<4>::padding, result.state[c][last]);
  }
  for (std::size_t c = 0; c < 2; ++c)
  {
    std::fill_n(result.input[c] + last, Channels<2>::padding, result.input[c][last]);
  }
}

/// `next_input(i, x)` returns the voltages of node i given the state at node i - 1.
template <class NextInput>
bool roll_out_with(
  const TrackingProblem & problem, Trajectory & result, StageDirections & directions,
  NextInput && next_input)
{
  const StageEvaluator stage{problem.dynamics, directions};
  const Geometry<double> & g = problem.dynamics.geometry;
  const double h = problem.step;
  CostSum<double> cost(problem);

  double phi1 = problem.start[0];
  double phi4 = problem.start[1];
  double w1 = problem.start[2];
  double w4 = problem.start[3];
  Eigen::Vector2d u0(result.input[0][0], result.input[1][0]);
  Output<double> y0;

  const auto store = [&](std::size_t i) {
    result.state[0][i] = phi1;
    result.state[1][i] = phi4;
    result.state[2][i] = w1;
    result.state[3][i] = w4;
  };

  for (std::size_t i = 0; i < problem.intervals; ++i)
  {
    store(i);
    const Eigen::Vector2d u1 = next_input(i + 1);
    const double m1 = 0.5 * (u0[0] + u1[0]);
    const double m4 = 0.5 * (u0[1] + u1[1]);

    const Terms<double> t1 = stage.terms(phi1, phi4, 0, i);
    if (!(std::abs(t1.pose.s23) >= problem.singularity_margin))
    {
      return false;
    }
    const Output<double> y = output_at<double>(g, t1.pose, t1.a, t1.b, w1, w4);
    cost.add_node(i, y);
    if (i > 0)
    {
      cost.add_interval(i - 1, y0, y, {result.input[0][i - 1], result.input[1][i - 1]}, u0);
    }
    y0 = y;

    const Eigen::Vector2d a1 = stage.acceleration(t1, w1, w4, u0[0], u0[1]);
    const double w1b = w1 + 0.5 * h * a1[0];
    const double w4b = w4 + 0.5 * h * a1[1];
    const Terms<double> t2 = stage.terms(phi1 + 0.5 * h * w1, phi4 + 0.5 * h * w4, 1, i);
    const Eigen::Vector2d a2 = stage.acceleration(t2, w1b, w4b, m1, m4);
    const double w1c = w1 + 0.5 * h * a2[0];
    const double w4c = w4 + 0.5 * h * a2[1];
    const Terms<double> t3 = stage.terms(phi1 + 0.5 * h * w1b, phi4 + 0.5 * h * w4b, 2, i);
    const Eigen::Vector2d a3 = stage.acceleration(t3, w1c, w4c, m1, m4);
    const double w1d = w1 + h * a3[0];
    const double w4d = w4 + h * a3[1];
    const Terms<double> t4 = stage.terms(phi1 + h * w1c, phi4 + h * w4c, 3, i);
    const Eigen::Vector2d a4 = stage.acceleration(t4, w1d, w4d, u1[0], u1[1]);

    phi1 += h / 6.0 * (w1 + 2.0 * (w1b + w1c) + w1d);
    phi4 += h / 6.0 * (w4 + 2.0 * (w4b + w4c) + w4d);
    w1 += h / 6.0 * (a1[0] + 2.0 * (a2[0] + a3[0]) + a4[0]);
    w4 += h / 6.0 * (a1[1] + 2.0 * (a2[1] + a3[1]) + a4[1]);
    u0 = u1;
    if (!std::isfinite(w1 + w4))
    {
      return false;
    }
  }
  const std::size_t last = problem.intervals;
  store(last);
  const Terms<double> t = stage.terms(phi1, phi4, 0, last);
  if (!(std::abs(t.pose.s23) >= problem.singularity_margin))
  {
    return false;
  }
  const Output<double> y = output_at<double>(g, t.pose, t.a, t.b, w1, w4);
  cost.add_node(last, y);
  cost.add_interval(last - 1, y0, y, result.u(last - 1), u0);
  fill_padding(problem, result, directions);
  result.cost = {cost.position(), cost.velocity(), cost.terminal(), cost.soft(), cost.rate()};
  return std::isfinite(result.cost.total());
}

}  // namespace

bool roll_out(const TrackingProblem & problem, Trajectory & result, StageDirections & directions)
{
  return roll_out_with(
    problem, result, directions, [&result](std::size_t i) { return result.u(i); });
}

bool roll_out(
  const TrackingProblem & problem, const InputBounds & bounds, const Trajectory & nominal,
  const std::vector<NodeGain> & gains, double alpha, Trajectory & result,
  StageDirections & directions)
{
  const double reach = bounds.voltage_rate * problem.step;
  for (std::size_t j = 0; j < 2; ++j)
  {
    result.input[j][0] =
      clamp_voltage(bounds, nominal.input[j][0] + alpha * gains[0].feedforward[j]);
  }
  double barrier = 0.0;
  const bool closed = roll_out_with(problem, result, directions, [&](std::size_t i) {
    const NodeGain & gain = gains[i];
    double deviation[6];
    for (std::size_t c = 0; c < 4; ++c)
    {
      deviation[c] = result.state[c][i - 1] - nominal.state[c][i - 1];
    }
    for (std::size_t j = 0; j < 2; ++j)
    {
      deviation[4 + j] = result.input[j][i - 1] - nominal.input[j][i - 1];
    }
    Eigen::Vector2d u;
    for (std::size_t j = 0; j < 2; ++j)
    {
      double value = nominal.input[j][i] + alpha * gain.feedforward[j];
      for (std::size_t c = 0; c < 6; ++c)
      {
        value += gain.feedback[j][c] * deviation[c];
      }
      value = clamp_voltage(bounds, value);
      if (bounds.rate_barrier > 0.0)
      {
        // A step may use up most of the way to the rate bound, but not all of it.
        constexpr double remaining = 0.005;
        const double previous = result.input[j][i - 1];
        const double change = std::abs(nominal.input[j][i] - nominal.input[j][i - 1]);
        const double most = reach - remaining * (reach - change);
        value = std::clamp(value, previous - most, previous + most);
        barrier += rate_barrier(bounds.rate_barrier, value - previous, reach);
      }
      result.input[j][i] = value;
      u[static_cast<int>(j)] = value;
    }
    return u;
  });
  result.barrier = barrier;
  return closed;
}

}  // namespace fivebar_control
