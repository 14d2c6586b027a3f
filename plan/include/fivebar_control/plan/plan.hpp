// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/plan/plan_samples.hpp"
#include "fivebar_control/plan/planned_cost.hpp"
#include "fivebar_control/plan/verdict.hpp"

namespace fivebar_control
{

/// How well a plan follows its curve.
struct PlanQuality
{
  double cost = 0.0;  ///< J
  double ise = 0.0;   ///< m² s, integral of |r - r*|² (eq. 7.3 against the nominal curve)
  double largest_error = 0.0;       ///< m, |r - r*| at the nodes
  double largest_error_time = 0.0;  ///< s
  double end_error = 0.0;           ///< m
  double largest_voltage = 0.0;     ///< V
  /// Share of the cost, and the voltage, of the first interval: a start at rest on a moving curve
  /// makes the optimum begin with a spike.
  double first_interval_cost_share = 0.0;
  double first_voltage = 0.0;  ///< V, largest of the first node's
};

/// What a plan remembers of one accepted step of its solver.
struct PlanIteration
{
  int stage = 0;                    ///< from 0
  int number = 0;                   ///< within the stage; 0 is what the stage began with
  double cost = 0.0;                ///< J after the step
  double projected_gradient = 0.0;  ///< before the step; 0: not known
  bool bounded = true;              ///< false: the step ignored the bounds

  bool operator==(const PlanIteration &) const = default;
};

/// One update by which a plan learned from runs of the plan before it.
struct PlanLesson
{
  std::string plan;               ///< file of the plan before
  std::string checksum;           ///< of its text
  std::vector<std::string> logs;  ///< files of the runs
  double measured_ise = 0.0;      ///< m² s, of these runs
  double predicted_ise = 0.0;     ///< m² s, of what the update leaves
  double rate = 0.0;              ///< V, how much the change was allowed to change per cycle
  double largest_change = 0.0;    ///< V

  bool operator==(const PlanLesson &) const = default;
};

/// A plan with all that it was made from.
struct Plan
{
  std::string package_version;
  std::string robot_name;
  std::string robot_fingerprint;
  std::string request;  ///< the curve file, as canonical YAML
  std::string curve_name;
  double time_step = 0.0;  ///< s
  CostWeights weights;
  InputBounds bounds;
  std::string solver;
  Verdict verdict = Verdict::stalled;
  int iterations = 0;
  double projected_gradient = 0.0;
  std::vector<PlanIteration> history;  ///< of all stages; empty in files of older versions
  std::vector<PlanLesson> lessons;     ///< oldest first; empty: the volts are the planner's
  PlanQuality quality;
  PlanSamples samples;
};

}  // namespace fivebar_control
