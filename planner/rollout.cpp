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

/// The motion and its cost, node by node.
class Rollout
{
public:
  Rollout(const TrackingProblem & problem, Trajectory & result, StageDirections & directions)
  : problem_(problem),
    result_(result),
    stage_{problem.dynamics, directions},
    cost_(problem),
    phi1_(problem.start[0]),
    phi4_(problem.start[1]),
    w1_(problem.start[2]),
    w4_(problem.start[3]),
    u_(result.input[0][0], result.input[1][0])
  {
  }

  /// Node `i` of the result. False too near to a singularity.
  bool arrive(std::size_t i)
  {
    terms_ = stage_.terms(phi1_, phi4_, 0, i);
    if (!(std::abs(terms_.pose.s23) >= problem_.singularity_margin))
    {
      return false;
    }
    const Output<double> y =
      output_at<double>(problem_.dynamics.geometry, terms_.pose, terms_.a, terms_.b, w1_, w4_);
    cost_.add_node(i, y);
    if (i > 0)
    {
      cost_.add_interval(i - 1, y_, y, {result_.input[0][i - 1], result_.input[1][i - 1]}, u_);
    }
    y_ = y;
    return true;
  }

  void store(std::size_t i)
  {
    result_.state[0][i] = phi1_;
    result_.state[1][i] = phi4_;
    result_.state[2][i] = w1_;
    result_.state[3][i] = w4_;
  }

  /// From node i to the next, whose voltages are `u1`: one Runge-Kutta step. False if the numbers
  /// burst.
  bool advance(std::size_t i, const Eigen::Vector2d & u1)
  {
    const double h = problem_.step;
    const double m1 = 0.5 * (u_[0] + u1[0]);
    const double m4 = 0.5 * (u_[1] + u1[1]);
    const Eigen::Vector2d a1 = stage_.acceleration(terms_, w1_, w4_, u_[0], u_[1]);
    const double w1b = w1_ + 0.5 * h * a1[0];
    const double w4b = w4_ + 0.5 * h * a1[1];
    const Terms<double> t2 = stage_.terms(phi1_ + 0.5 * h * w1_, phi4_ + 0.5 * h * w4_, 1, i);
    const Eigen::Vector2d a2 = stage_.acceleration(t2, w1b, w4b, m1, m4);
    const double w1c = w1_ + 0.5 * h * a2[0];
    const double w4c = w4_ + 0.5 * h * a2[1];
    const Terms<double> t3 = stage_.terms(phi1_ + 0.5 * h * w1b, phi4_ + 0.5 * h * w4b, 2, i);
    const Eigen::Vector2d a3 = stage_.acceleration(t3, w1c, w4c, m1, m4);
    const double w1d = w1_ + h * a3[0];
    const double w4d = w4_ + h * a3[1];
    const Terms<double> t4 = stage_.terms(phi1_ + h * w1c, phi4_ + h * w4c, 3, i);
    const Eigen::Vector2d a4 = stage_.acceleration(t4, w1d, w4d, u1[0], u1[1]);

    phi1_ += h / 6.0 * (w1_ + 2.0 * (w1b + w1c) + w1d);
    phi4_ += h / 6.0 * (w4_ + 2.0 * (w4b + w4c) + w4d);
    w1_ += h / 6.0 * (a1[0] + 2.0 * (a2[0] + a3[0]) + a4[0]);
    w4_ += h / 6.0 * (a1[1] + 2.0 * (a2[1] + a3[1]) + a4[1]);
    u_ = u1;
    return std::isfinite(w1_ + w4_);
  }

  CostParts cost() const
  {
    return {cost_.position(), cost_.velocity(), cost_.terminal(), cost_.soft(), cost_.rate()};
  }

private:
  const TrackingProblem & problem_;
  Trajectory & result_;
  StageEvaluator stage_;
  CostSum<double> cost_;
  // Of the node where it is.
  double phi1_, phi4_, w1_, w4_;
  Eigen::Vector2d u_;
  Terms<double> terms_;
  Output<double> y_;
};

/// `next_input(i)` returns the voltages of node i once the state at node i - 1 is stored.
template <class NextInput>
bool roll_out_with(
  const TrackingProblem & problem, Trajectory & result, StageDirections & directions,
  NextInput && next_input)
{
  Rollout rollout(problem, result, directions);
  for (std::size_t i = 0; i < problem.intervals; ++i)
  {
    rollout.store(i);
    const Eigen::Vector2d u1 = next_input(i + 1);
    if (!rollout.arrive(i) || !rollout.advance(i, u1))
    {
      return false;
    }
  }
  rollout.store(problem.intervals);
  if (!rollout.arrive(problem.intervals))
  {
    return false;
  }
  fill_padding(problem, result, directions);
  result.cost = rollout.cost();
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
