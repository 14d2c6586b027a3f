// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fivebar_control/model/pendulum_dynamics.hpp"
#include "fivebar_control/planner/shooting_solver.hpp"

namespace fivebar_control
{

/// The weights of Maciąg's cost (5.8) and what was added to it. P0 is where P starts.
/// J = 1/2 position ∫|P - P0|² dt + 1/2 tilt γ²(tf) + 1/2 velocity |v5|²(tf)
///     + 1/2 end_position |P - P0|²(tf) + 1/2 volts ∫(V1² + V4²) dt
struct BalanceWeights
{
  double position = 1.0;      ///< 1/(m² s)
  double tilt = 1.0;          ///< 1/rad²
  double velocity = 0.0;      ///< w; v5 in m/s and rad/s together
  double end_position = 0.0;  ///< 1/m²
  double volts = 1e-4;        ///< rho, 1/(V² s); without it the optimum is an impulse
  bool operator==(const BalanceWeights &) const = default;
};

/// Cost (5.8) along the classical Runge-Kutta method with volts linear between nodes, for
/// ShootingSolver. The integral over P is that method's quadrature, the one over the volts is
/// exact.
class BalanceProblem
{
public:
  static constexpr int states = 8;
  static constexpr int inputs = 2;
  using State = PendulumState<double>;
  using Interval = ShootingInterval<states, inputs>;

  BalanceProblem(
    const PendulumConstants<double> & constants, const State & start, std::size_t intervals,
    double time_step, const BalanceWeights & weights, double bound);

  std::size_t intervals() const { return intervals_; }
  double bound() const { return bound_; }
  double time_step() const { return time_step_; }
  const State & start() const { return start_; }
  const BalanceWeights & weights() const { return weights_; }
  const PendulumConstants<double> & constants() const { return constants_; }

  State advance(
    std::size_t k, const State & x, const Eigen::Vector2d & u0, const Eigen::Vector2d & u1,
    double & cost) const;
  Interval interval(
    std::size_t k, const State & x, const Eigen::Vector2d & u0, const Eigen::Vector2d & u1) const;
  double end_cost(const State & x) const;
  ShootingEnd<states> end(const State & x) const;

  /// m, of P from where it starts.
  Eigen::Vector2d displacement(const State & x) const;

private:
  PendulumConstants<double> constants_;
  State start_;
  std::size_t intervals_;
  double time_step_;
  BalanceWeights weights_;
  double bound_;
  Eigen::Vector2d home_;
};

using BalanceMotion = ShootingMotion<BalanceProblem::states, BalanceProblem::inputs>;
using BalanceSolver = ShootingSolver<BalanceProblem>;

}  // namespace fivebar_control
