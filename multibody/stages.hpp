// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "fivebar_control/multibody/trajectory.hpp"

namespace fivebar_control::multibody
{

/// One stage of a classical Runge-Kutta step: where it is and the linearisation there.
struct Stage
{
  double t = 0.0;
  Linearisation at;
};

/// The four stages of the step from `left` to `right`, as the simulation went through them.
inline std::array<Stage, 4> rk4_stages(
  const Problem & problem, const Form & form, const VectorD & rho, const Node & left,
  const Node & right)
{
  const double h = right.t - left.t;
  std::array<Stage, 4> stages;
  VectorD y = left.y;
  const std::array<double, 4> offset{0.0, 0.5 * h, 0.5 * h, h};
  for (std::size_t i = 0; i < 4; ++i)
  {
    stages[i].t = left.t + offset[i];
    stages[i].at = linearise(problem, form, rho, stages[i].t, y, left.q);
    if (i < 3)
    {
      y = left.y + offset[i + 1] * stages[i].at.response.rate;
    }
  }
  return stages;
}

}  // namespace fivebar_control::multibody
