// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/multibody/trajectory.hpp"

namespace fivebar_control::multibody
{

/// The inputs whose nodes are parameters; they share one grid.
struct ControlGrid
{
  std::vector<std::size_t> inputs;
  Eigen::Index nodes = 0;
  double step = 0.0;

  explicit ControlGrid(const Problem & problem)
  {
    for (std::size_t i = 0; i < problem.inputs.size(); ++i)
    {
      if (problem.inputs[i].first_parameter >= 0)
      {
        inputs.push_back(i);
        nodes = problem.inputs[i].nodes.size();
        step = problem.inputs[i].step;
      }
    }
  }
  Eigen::Index count() const { return static_cast<Eigen::Index>(inputs.size()); }
};

/// One interval between nodes: y+ = F (y, a, b) with a and b the inputs at its ends, and the model
/// of its cost, g^T (y, a, b) + (y, a, b)^T H (y, a, b) / 2.
struct IntervalModel
{
  MatrixD F, H;
  VectorD g;
};

/// The whole motion, linearised.
struct MotionModel
{
  std::vector<IntervalModel> intervals;
  MatrixD end_H;  ///< of the terminal cost, columns (y, b) at the end
  VectorD end_g;
};

/// Needs a motion in steps of rk4 that fill the intervals between nodes.
MotionModel linearise_motion(
  const Problem & problem, const ControlGrid & grid, const Trajectory & trajectory);

}  // namespace fivebar_control::multibody
