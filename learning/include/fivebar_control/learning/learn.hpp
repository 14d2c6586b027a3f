// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/plan/plan.hpp"
#include "fivebar_control/runs/run_record.hpp"

namespace fivebar_control
{

struct LearnOptions
{
  double rate = 0.02;           ///< V, how much the change may change from cycle to cycle (r)
  double size = 10.0;           ///< V, how large the change may be (a)
  double largest_change = 3.0;  ///< V, hard limit of the change of one update
  double noise = -1.0;          ///< rad, of the encoders before rounding; negative: found
};

/// A plan that has learned from runs, and what was expected of it.
struct Learned
{
  Plan plan;
  double measured_ise = 0.0;    ///< m² s, of the runs that it learned from, mean
  double predicted_ise = 0.0;   ///< m² s, what the model leaves of it, without the readings' noise
  double encoder_floor = 0.0;   ///< m² s, of rounding to counts alone
  double largest_change = 0.0;  ///< V
  int bounded = 0;              ///< voltages at a bound
  int sweeps = 0;
  bool converged = true;
};

/// One update: the change of the feedforward that most probably makes up for the error that the
/// runs measured, by norm-optimal learning on the closed loop along the plan. The reference stays.
/// `names` of plan and logs go into the new plan's ancestry. Throws InputError for runs that are
/// not of this plan with its feedforward and PD.
Learned learn(
  const RobotModel & robot, const Plan & plan, const std::string & plan_name,
  const std::vector<RunRecord> & runs, const LearnOptions & options = {});

/// Throws InputError unless the run played this very plan, feedforward and all, to its end.
void require_run_to_learn_from(
  const RunRecord & run, const Plan & plan, const std::string & plan_name);

/// m² s, integral of the squared distance of P from the planned path, as read by the encoders.
double measured_ise(const RunRecord & run);
/// The same of where P truly was; only of runs with truth.
double true_ise(const RunRecord & run);
/// m² s, of what two runs of one plan do not have in common: half of their difference squared.
double ise_of_difference(const RunRecord & a, const RunRecord & b);
/// m² s, what rounding to counts alone gives.
double encoder_floor(const RunRecord & run, const Geometry<double> & geometry);

}  // namespace fivebar_control
