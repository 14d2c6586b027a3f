// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fivebar_control/daemon/run_loop.hpp"
#include "fivebar_control/runs/tracking_score.hpp"
#include "fivebar_control/simulation/plant_engine.hpp"
#include "fivebar_control/simulation/true_motion.hpp"

namespace fivebar_control
{

/// What all runs of one comparison share.
struct Experiment
{
  const RobotModel & robot;
  const PlayablePlan & plan;
  ControllerSettings settings;
  std::int64_t period_ns = 1'000'000;
  EngineMaker engine = make_equations_engine;
};

struct ExperimentResult
{
  RunOutcome outcome;
  TrackingScore score;
  double loop_error = 0.0;  ///< m, PlantEngine::largest_loop_error()
  TruePeaks truth;
};

/// One run on a simulated robot, as fast as it goes; the same code as `fivebar run --fast`.
/// `sink` gets every cycle, if given.
ExperimentResult run_experiment(
  const Experiment & experiment, const PlantParameters & plant, ControlMode mode,
  RecordSink * sink = nullptr);

/// One disturbance at several strengths (after the robustness score of the DFKI double-pendulum
/// benchmark: each disturbance by itself, share of cases in which the task is still done).
struct Sweep
{
  std::string name;
  std::vector<PlantParameters> plants;
  std::vector<double> strengths;
};

/// Sweeps over model error, friction, noise and delay around a plant.
std::vector<Sweep> robustness_sweeps(const PlantParameters & plant);

struct SweepResult
{
  std::string name;
  int cases = 0;
  int within = 0;  ///< finished with largest_error <= tolerance
};

std::vector<SweepResult> run_sweeps(
  const Experiment & experiment, const std::vector<Sweep> & sweeps, ControlMode mode,
  double tolerance);

/// Share of all cases, 0 to 1.
double robustness_score(const std::vector<SweepResult> & results);

}  // namespace fivebar_control
