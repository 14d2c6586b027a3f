// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "closed_loop_model.hpp"
#include "fivebar_control/learning/learn.hpp"

namespace fivebar_control
{

/// An error to be made up for.
struct UpdateRequest
{
  std::vector<Eigen::Vector2d> error;  ///< rad, reference - reading in each cycle of the plan
  Eigen::Vector2d variance;            ///< rad², of these
  LearnOptions options;
};

/// Cycles from 0 to the plan's end.
std::size_t cycles_of(const Plan & plan, double rate);

/// The plan with the change of its feedforward, and what is expected of it, into `learned`.
void update(
  const RobotModel & robot, const Plan & plan, const RunDescription & run,
  const UpdateRequest & request, Learned & learned);

}  // namespace fivebar_control
