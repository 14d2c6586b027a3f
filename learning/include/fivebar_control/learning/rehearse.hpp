// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/plan/plan.hpp"

namespace fivebar_control
{

/// A plan whose feedforward knows the robot's drives.
struct Rehearsed
{
  Plan plan;
  double ise_before = 0.0;  ///< m² s, of the robot's equations with drives under the given plan
  double ise_after = 0.0;   ///< m² s, the same under the new one
  int rounds = 0;
};

/// The planner's equations have rigid drives and ideal amplifiers. Where the robot file says more
/// (drives), this plays the plan on its own equations with these drives and learns from that, until
/// nothing is left to gain: an inverse of the robot with its drives, within its volts. The
/// reference stays: it is where the encoders shall be. Gives the plan itself back for ideal drives.
Rehearsed rehearse(
  const RobotModel & robot, const Plan & plan, const std::string & name, double rate = 1000.0);

}  // namespace fivebar_control
