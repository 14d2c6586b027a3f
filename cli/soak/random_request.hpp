// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/planner/plan_request.hpp"
#include "fivebar_control/support/random.hpp"

namespace fivebar_control
{

/// A curve file that was made up, for tests and the soak.
struct RandomRequest
{
  std::string kind;  ///< "lissajous" and the like
  std::string yaml;  ///< as in a curve file
  PlanRequest request;
};

/// The robot with other masses, inertias, motors, friction and slightly other lengths, each changed
/// by up to `share` (lengths a tenth of it). Still a valid robot with the same name and limits.
RobotModel perturbed(Random & random, const RobotModel & robot, double share);

/// What the lengths, speeds and limits of a random curve are drawn from.
struct RandomRequestRange
{
  std::array<double, 2> size{0.005, 0.05};   ///< m, from its middle to its border
  std::array<double, 2> speed{0.03, 0.6};    ///< m/s, about the largest of P
  std::array<double, 2> duration{0.4, 2.0};  ///< s
  std::array<double, 2> voltage{2.0, 12.0};  ///< V, the bound if it is neither none nor the robot's
  /// Any guess, cost, bounds and time step; else the defaults, with ramps at both ends.
  bool any_options = true;
};

/// A curve that this robot can draw by its kinematics: sampled finely, every point has a solution
/// in the robot's modes, with a distance from joint limits and singularities. Nothing is planned to
/// find out.
RandomRequest random_request(
  Random & random, const RobotModel & robot, const RandomRequestRange & range = {});

}  // namespace fivebar_control
