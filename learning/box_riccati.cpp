// SPDX-License-Identifier: Apache-2.0
#include "box_riccati.hpp"

#include <Eigen/LU>
#include <array>
#include <cstdint>

namespace fivebar_control
{
namespace
{

/// Of each input: free, or held at its lower or upper bound.
enum class Hold : std::uint8_t
{
  free,
  low,
  high,
};
using Holds = std::vector<std::array<Hold, 2>>;

/// change = offset + gain * deviation.
struct Law
{
  Eigen::Matrix<double, 2, loop_states> gain;
  Eigen::Vector2d offset;
  // d(cost to go)/2 d(change) = by_change * change + by_state * deviation + constant.
  Eigen::Matrix2d by_change;
  Eigen::Matrix<double, 2, loop_states> by_state;
  Eigen::Vector2d constant;
};

/// What is left of the step when some inputs are held.
void close_law(const ChangeProblem & p, const std::array<Hold, 2> & hold, std::size_t k, Law & law)
{
  law.gain.setZero();
  law.offset.setZero();
  std::array<bool, 2> is_free{};
  for (int i = 0; i < 2; ++i)
  {
    const auto at = static_cast<std::size_t>(i);
    is_free[at] = hold[at] == Hold::free;
    if (!is_free[at])
    {
      law.offset[i] = hold[at] == Hold::low ? p.low[k][i] : p.high[k][i];
    }
  }
  if (is_free[0] && is_free[1])
  {
    const Eigen::Matrix2d inverse = law.by_change.inverse();
    law.gain = -inverse * law.by_state;
    law.offset = -inverse * law.constant;
    return;
  }
  for (int i = 0; i < 2; ++i)
  {
    if (is_free[static_cast<std::size_t>(i)])
    {
      const int other = 1 - i;
      law.gain.row(i) = -law.by_state.row(i) / law.by_change(i, i);
      law.offset[i] =
        -(law.constant[i] + law.by_change(i, other) * law.offset[other]) / law.by_change(i, i);
    }
  }
}

std::vector<Law> backward(const ChangeProblem & p, const Holds & holds)
{
  const std::size_t n = p.loop.size();
  std::vector<Law> laws(n);
  LoopMatrix value = LoopMatrix::Zero();
  LoopState slope = LoopState::Zero();
  for (std::size_t k = n; k-- > 0;)
  {
    const LoopStep & step = p.loop[k];
    Law & law = laws[k];
    const LoopInput weighted = value * step.by_change;
    law.by_change = step.by_change.transpose() * weighted;
    law.by_change.diagonal().array() += p.change_weight + p.size_weight;
    law.by_state = weighted.transpose() * step.by_state;
    law.by_state.rightCols<2>().diagonal().array() -= p.change_weight;
    law.constant = step.by_change.transpose() * slope;
    close_law(p, holds[k], k, law);

    LoopMatrix now = step.by_state.transpose() * value * step.by_state;
    now.topLeftCorner<2, 2>() += p.weight[k];
    now.bottomRightCorner<2, 2>().diagonal().array() += p.change_weight;
    LoopState now_slope = step.by_state.transpose() * slope;
    now_slope.head<2>() -= p.weight[k] * p.error[k];
    // The law put in: terms of the change, and of the change with the deviation.
    const LoopMatrix cross = law.by_state.transpose() * law.gain;
    now += law.gain.transpose() * law.by_change * law.gain + cross + cross.transpose();
    now_slope += law.gain.transpose() * (law.by_change * law.offset + law.constant) +
                 law.by_state.transpose() * law.offset;
    value = 0.5 * (now + now.transpose());
    slope = now_slope;
  }
  return laws;
}

double forward(
  const ChangeProblem & p, const std::vector<Law> & laws, ChangeSolution & solution,
  std::vector<Eigen::Vector2d> & gradient)
{
  const std::size_t n = p.loop.size();
  solution.change.resize(n);
  solution.angle.resize(n);
  gradient.resize(n);
  LoopState state = LoopState::Zero();
  double cost = 0.0;
  for (std::size_t k = 0; k < n; ++k)
  {
    const Law & law = laws[k];
    const Eigen::Vector2d change = law.gain * state + law.offset;
    gradient[k] = law.by_change * change + law.by_state * state + law.constant;
    const Eigen::Vector2d left = p.error[k] - state.head<2>();
    cost += left.dot(p.weight[k] * left) +
            p.change_weight * (change - state.tail<2>()).squaredNorm() +
            p.size_weight * change.squaredNorm();
    solution.change[k] = change;
    solution.angle[k] = state.head<2>();
    state = p.loop[k].by_state * state + p.loop[k].by_change * change;
  }
  return cost;
}

/// Holds what would leave its bounds, frees what is pulled inside; true if nothing changed.
bool update_holds(
  const ChangeProblem & p, const ChangeSolution & solution,
  const std::vector<Eigen::Vector2d> & gradient, Holds & holds)
{
  bool same = true;
  for (std::size_t k = 0; k < holds.size(); ++k)
  {
    for (int i = 0; i < 2; ++i)
    {
      Hold & hold = holds[k][static_cast<std::size_t>(i)];
      Hold next = hold;
      if (hold == Hold::free)
      {
        next = solution.change[k][i] < p.low[k][i]    ? Hold::low
               : solution.change[k][i] > p.high[k][i] ? Hold::high
                                                      : Hold::free;
      }
      else if (hold == Hold::low ? gradient[k][i] < 0.0 : gradient[k][i] > 0.0)
      {
        next = Hold::free;
      }
      same = same && next == hold;
      hold = next;
    }
  }
  return same;
}

}  // namespace

ChangeSolution solve(const ChangeProblem & p)
{
  constexpr int most_sweeps = 40;
  Holds holds(p.loop.size(), {Hold::free, Hold::free});
  ChangeSolution solution;
  std::vector<Eigen::Vector2d> gradient;
  while (!solution.converged && solution.sweeps < most_sweeps)
  {
    ++solution.sweeps;
    solution.cost = forward(p, backward(p, holds), solution, gradient);
    solution.converged = update_holds(p, solution, gradient, holds);
  }
  for (std::size_t k = 0; k < holds.size(); ++k)
  {
    for (const Hold hold : holds[k])
    {
      solution.bounded += hold == Hold::free ? 0 : 1;
    }
    // Without convergence the bounds still hold.
    solution.change[k] = solution.change[k].cwiseMax(p.low[k]).cwiseMin(p.high[k]);
  }
  return solution;
}

}  // namespace fivebar_control
