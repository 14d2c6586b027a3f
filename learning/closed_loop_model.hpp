// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "fivebar_control/plan/playable_plan.hpp"
#include "fivebar_control/runs/run_description.hpp"

namespace fivebar_control
{

/// Deviation of a run from its plan: where the encoders are (phi1, phi4, w1, w4), the other side of
/// drives that yield (the same; zero where they are rigid), velocity estimator (two numbers per
/// joint) and the change of the feedforward in the cycle before.
constexpr int loop_states = 14;
using LoopState = Eigen::Matrix<double, loop_states, 1>;
using LoopMatrix = Eigen::Matrix<double, loop_states, loop_states>;
using LoopInput = Eigen::Matrix<double, loop_states, 2>;

/// One cycle: deviation(k + 1) = by_state * deviation(k) + by_change * change(k), where change(k)
/// is added to the feedforward of cycle k.
struct LoopStep
{
  LoopMatrix by_state;
  LoopInput by_change;
  Eigen::Matrix2d jacobian;  ///< of P by the driven angles, at the plan
};

/// The closed loop of `run` along a plan, one step per cycle from 0 to the plan's end.
std::vector<LoopStep> closed_loop(
  const RobotModel & robot, const PlayablePlan & plan, const RunDescription & run);

}  // namespace fivebar_control
