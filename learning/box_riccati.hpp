// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "closed_loop_model.hpp"

namespace fivebar_control
{

/// minimise sum |e_k - angles_k|²_W / s² + |d_k - d_(k-1)|² / r² + |d_k|² / a² over changes d_k of
/// the feedforward with low_k <= d_k <= high_k, where angles_k follow from the closed loop.
struct ChangeProblem
{
  const std::vector<LoopStep> & loop;
  std::vector<Eigen::Vector2d> error;   ///< rad, to be made up for
  std::vector<Eigen::Matrix2d> weight;  ///< 1/rad², W / s²
  std::vector<Eigen::Vector2d> low, high;
  double change_weight = 0.0;  ///< 1/V², 1 / r²
  double size_weight = 0.0;    ///< 1/V², 1 / a²
};

struct ChangeSolution
{
  std::vector<Eigen::Vector2d> change;  ///< V
  std::vector<Eigen::Vector2d> angle;   ///< rad, by which the change is expected to move the joints
  double cost = 0.0;
  int sweeps = 0;
  bool converged = false;  ///< the set of bounds that are reached is the right one
  int bounded = 0;         ///< inputs at a bound
};

/// Riccati sweeps with a primal-dual active set: exact where it converges.
ChangeSolution solve(const ChangeProblem & problem);

}  // namespace fivebar_control
