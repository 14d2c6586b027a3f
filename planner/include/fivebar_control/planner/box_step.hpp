// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <array>
#include <cmath>

namespace fivebar_control
{

/// min over lower <= d <= upper of 1/2 d'Qd + g'd, and how the minimum follows when g changes with
/// something else: zero rows for inputs at a bound.
template <int Inputs>
struct BoxStep
{
  Eigen::Matrix<double, Inputs, 1> step;
  Eigen::Matrix<double, Inputs, Inputs> inverse;  ///< of the free part of Q
  bool found = false;
};

template <int Inputs>
BoxStep<Inputs> box_step(
  const Eigen::Matrix<double, Inputs, Inputs> & q, const Eigen::Matrix<double, Inputs, 1> & g,
  const Eigen::Matrix<double, Inputs, 1> & lower, const Eigen::Matrix<double, Inputs, 1> & upper)
{
  using Vector = Eigen::Matrix<double, Inputs, 1>;
  int cases = 1;
  for (int i = 0; i < Inputs; ++i)
  {
    cases *= 3;
  }
  // Each input is free, at its lower or at its upper bound; Q is positive definite, so that the
  // minimum is unique: the best of the feasible ones.
  BoxStep<Inputs> best;
  double least = 0.0;
  for (int which = 0; which < cases; ++which)
  {
    std::array<int, Inputs> side{};
    for (int i = 0, rest = which; i < Inputs; ++i, rest /= 3)
    {
      side[static_cast<std::size_t>(i)] = rest % 3;
    }
    Eigen::Matrix<double, Inputs, Inputs> free = q;
    Vector right = -g;
    for (int i = 0; i < Inputs; ++i)
    {
      if (const int at = side[static_cast<std::size_t>(i)]; at != 0)
      {
        free.row(i).setZero();
        free(i, i) = 1.0;
        right[i] = at == 1 ? lower[i] : upper[i];
      }
    }
    const Eigen::Matrix<double, Inputs, Inputs> inverse = free.inverse();
    const Vector d = inverse * right;
    const bool inside =
      ((d - lower).array() >= -1e-12).all() && ((upper - d).array() >= -1e-12).all();
    const double value = 0.5 * d.dot(q * d) + g.dot(d);
    if (inside && std::isfinite(value) && (!best.found || value < least - 1e-300))
    {
      least = value;
      best.found = true;
      best.step = d.cwiseMax(lower).cwiseMin(upper);
      best.inverse = inverse;
      for (int i = 0; i < Inputs; ++i)
      {
        if (side[static_cast<std::size_t>(i)] != 0)
        {
          best.inverse.row(i).setZero();
          best.inverse.col(i).setZero();
        }
      }
    }
  }
  return best;
}

}  // namespace fivebar_control
