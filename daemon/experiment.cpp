// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/experiment.hpp"

#include "fivebar_control/daemon/truth.hpp"

namespace fivebar_control
{

ExperimentResult run_experiment(
  const Experiment & experiment, const PlantParameters & plant, ControlMode mode, RecordSink * sink)
{
  SimulatedRobot hardware(
    experiment.engine(experiment.robot, plant), plant, experiment.plan.start(),
    experiment.period_ns);
  ControlCore controller(experiment.robot, experiment.settings, mode, experiment.period_ns);
  const auto gains = loop_gains_for(
    experiment.robot, experiment.settings, experiment.plan,
    static_cast<double>(experiment.period_ns) * 1e-9);
  controller.set_plan(&experiment.plan, gains ? &*gains : nullptr);
  Pacer pacer(experiment.period_ns, false);
  TrackingScorer scorer(experiment.robot, sink, hardware.encoder().resolution());
  TruthWatcher truth(experiment.robot, hardware, scorer);
  RunRequests requests;
  RunStatus status;
  const RunOutcome outcome =
    run_loop(controller, hardware, pacer, truth, requests, status, {experiment.period_ns, false});
  if (outcome.end != RunEnd::finished)
  {
    truth.follow_to_rest();
  }
  return {outcome, scorer.score(), hardware.engine().largest_loop_error(), *truth.peaks()};
}

std::vector<Sweep> robustness_sweeps(const PlantParameters & plant)
{
  std::vector<Sweep> sweeps;
  const auto add = [&](const char * name, const std::vector<double> & strengths, auto && disturb) {
    Sweep sweep{name, {}, strengths};
    for (const double strength : strengths)
    {
      sweep.plants.push_back(plant);
      disturb(sweep.plants.back(), strength);
    }
    sweeps.push_back(std::move(sweep));
  };
  const std::vector<double> factors{0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.2, 1.3, 1.4, 1.5};
  const std::vector<double> small_factors{0.8, 0.85, 0.9, 0.95, 1.05, 1.1, 1.15, 1.2};
  add("link mass and inertia", factors, [](PlantParameters & p, double factor) {
    p.link_mass_scale *= factor;
    p.link_inertia_scale *= factor;
  });
  add("motor constant", small_factors, [](PlantParameters & p, double factor) {
    p.torque_constant_scale *= factor;
  });
  add("motor resistance", small_factors, [](PlantParameters & p, double factor) {
    p.resistance_scale *= factor;
  });
  add(
    "viscous friction [N m s/rad]", {0.002, 0.005, 0.01, 0.015, 0.02, 0.03},
    [](PlantParameters & p, double value) { p.viscous = value; });
  add(
    "dry friction [N m]", {0.005, 0.01, 0.02, 0.03, 0.04, 0.05},
    [](PlantParameters & p, double value) { p.coulomb = value; });
  add(
    "encoder noise [rad]", {2e-4, 5e-4, 1e-3, 2e-3, 3e-3, 4e-3},
    [](PlantParameters & p, double value) { p.angle_noise = value; });
  add("delay [cycles]", {1, 2, 4, 6, 8, 10}, [](PlantParameters & p, double value) {
    p.delay_cycles = static_cast<int>(value);
  });
  return sweeps;
}

std::vector<SweepResult> run_sweeps(
  const Experiment & experiment, const std::vector<Sweep> & sweeps, ControlMode mode,
  double tolerance)
{
  std::vector<SweepResult> results;
  for (const Sweep & sweep : sweeps)
  {
    SweepResult result{sweep.name, 0, 0};
    for (const PlantParameters & plant : sweep.plants)
    {
      const ExperimentResult run = run_experiment(experiment, plant, mode);
      const bool good = run.outcome.end == RunEnd::finished && run.score.largest_error <= tolerance;
      ++result.cases;
      result.within += good ? 1 : 0;
    }
    results.push_back(result);
  }
  return results;
}

double robustness_score(const std::vector<SweepResult> & results)
{
  int cases = 0;
  int within = 0;
  for (const SweepResult & result : results)
  {
    cases += result.cases;
    within += result.within;
  }
  return cases == 0 ? 0.0 : static_cast<double>(within) / cases;
}

}  // namespace fivebar_control
