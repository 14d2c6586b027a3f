// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "fivebar_control/daemon/experiment.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/report/html_report.hpp"
#include "fivebar_control/runs/run_record.hpp"
#include "fivebar_control/simulation/mujoco_engine.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "output_file.hpp"
#include "run_arguments.hpp"

namespace fivebar_control::cli
{
namespace
{

constexpr std::array<ControlMode, 2> modes{
  ControlMode::feedback_only, ControlMode::feedforward_and_feedback};

struct CompareArguments
{
  RunArguments run;
  std::vector<std::string> plans;
  std::string hardware = "sim";
  std::string json, report;
  bool no_report = false;
  bool robustness = false;
  double tolerance = 0.003;  // m
};

nlohmann::json json_of(const ExperimentResult & result)
{
  return {
    {"ended", to_string(result.outcome.end)},
    {"reason", to_string(result.outcome.finding.reason)},
    {"ise", result.score.ise},
    {"encoder_floor", result.score.encoder_floor},
    {"largest_error", result.score.largest_error},
    {"feedback_rms", result.score.feedback_rms},
    {"largest_volts", result.score.largest_volts},
    {"limited_cycles", result.score.limited_cycles},
    {"cycles", result.score.cycles},
    {"loop_error", result.loop_error},
    {"truth",
     {{"ise", result.score.true_ise.value_or(0.0)},
      {"largest_error", result.score.largest_true_error}}}};
}

void print_result(const std::string & curve, ControlMode mode, const ExperimentResult & r)
{
  fmt::print(
    "{:<24} {:<15} {:>11.4g} {:>10.3f} {:>12.3f} {:>9.2f} {:>8}", curve, to_string(mode),
    r.score.ise, 1e3 * r.score.largest_error, r.score.feedback_rms, r.score.largest_volts,
    r.score.limited_cycles);
  if (r.outcome.end != RunEnd::finished)
  {
    fmt::print("  {}: {}", to_string(r.outcome.end), describe(r.outcome.finding));
  }
}

nlohmann::json compare_robustness(
  const Experiment & experiment, const PlantParameters & plant, double tolerance)
{
  const std::vector<Sweep> sweeps = robustness_sweeps(plant);
  std::array<std::vector<SweepResult>, 2> results;
  for (std::size_t m = 0; m < modes.size(); ++m)
  {
    results[m] = run_sweeps(experiment, sweeps, modes[m], tolerance);
  }
  fmt::print(
    "\n  Robustness: cases that finish with an error of P of at most {:g} mm\n  {:<32} {:>8} "
    "{:>16}\n",
    1e3 * tolerance, "disturbance", to_string(modes[0]), to_string(modes[1]));
  nlohmann::json json{{"tolerance", tolerance}, {"sweeps", nlohmann::json::array()}};
  for (std::size_t s = 0; s < sweeps.size(); ++s)
  {
    const auto share = [&](std::size_t m) {
      return fmt::format("{}/{}", results[m][s].within, results[m][s].cases);
    };
    fmt::print("  {:<32} {:>8} {:>16}\n", sweeps[s].name, share(0), share(1));
    json["sweeps"].push_back(
      {{"name", sweeps[s].name},
       {"strengths", sweeps[s].strengths},
       {"within_pd", results[0][s].within},
       {"within_feedforward_pd", results[1][s].within}});
  }
  json["score_pd"] = robustness_score(results[0]);
  json["score_feedforward_pd"] = robustness_score(results[1]);
  fmt::print(
    "  {:<32} {:>8.2f} {:>16.2f}\n\n", "score", robustness_score(results[0]),
    robustness_score(results[1]));
  return json;
}

/// Where the page about one plan goes: beside the plan unless told otherwise.
std::string report_path(const CompareArguments & arguments, const std::string & plan)
{
  if (arguments.report == "-")
  {
    return arguments.report;
  }
  std::filesystem::path path = arguments.report;
  if (arguments.report.empty())
  {
    path = plan;
    path.replace_extension(".report.html");
  }
  return std::filesystem::absolute(path).lexically_normal().string();
}

void write_report(
  const CompareArguments & arguments, const std::string & plan_file, const Plan & plan,
  const RobotModel & robot, std::vector<RunRecord> runs)
{
  const std::string path = report_path(arguments, plan_file);
  write_file_atomically(
    output_target(path),
    html_report(make_report_data(plan_file, plan, robot, std::move(runs), {})));
  fmt::print("{:<24} report: {}\n", "", output_name(path));
}

/// What all plans of one comparison share.
struct Comparison
{
  const CompareArguments & arguments;
  RobotModel robot;
  ControllerSettings settings;
  PlantParameters plant;
  EngineMaker engine;
  bool all_finished = true;
};

nlohmann::json compare_one(Comparison & c, const std::string & plan_file, const Plan & plan)
{
  const PlayablePlan playable(plan.samples);
  const Experiment experiment{c.robot, playable, c.settings, c.arguments.run.period_ns(), c.engine};
  std::array<ExperimentResult, 2> results;
  std::vector<RunRecord> runs;
  for (std::size_t m = 0; m < modes.size(); ++m)
  {
    RecordKeeper keeper(c.robot);
    results[m] = run_experiment(experiment, c.plant, modes[m], &keeper);
    const RunOutcome & outcome = results[m].outcome;
    const RunDescription description = describe_run(
      plan, c.robot, c.settings, "simulated robot (plant '" + c.plant.name + "')", modes[m],
      c.arguments.run.rate, true);
    runs.push_back(keeper.finish(description, outcome.end, outcome.finding.reason));
    print_result(plan.curve_name, modes[m], results[m]);
    fmt::print("\n");
    c.all_finished = c.all_finished && outcome.end == RunEnd::finished;
  }
  const double ratio = results[0].score.ise / results[1].score.ise;
  const double true_ratio =
    results[0].score.true_ise.value_or(0.0) / results[1].score.true_ise.value_or(1.0);
  fmt::print(
    "{0:<24} feedforward+pd has {1:.1f} times less ISE at the encoder, {2:.1f} in truth\n"
    "{0:<24} rounding to counts alone is {3:.4g} m^2 s: at most {4:.0f} times\n",
    "", ratio, true_ratio, results[1].score.encoder_floor,
    results[0].score.ise / results[1].score.encoder_floor);
  if (!c.arguments.no_report)
  {
    write_report(c.arguments, plan_file, plan, c.robot, std::move(runs));
  }
  nlohmann::json entry{{"plan", plan_file},         {"curve", plan.curve_name},
                       {"pd", json_of(results[0])}, {"feedforward_pd", json_of(results[1])},
                       {"ise_ratio", ratio},        {"true_ise_ratio", true_ratio}};
  if (c.arguments.robustness)
  {
    entry["robustness"] = compare_robustness(experiment, c.plant, c.arguments.tolerance);
  }
  return entry;
}

void print_heading(const Comparison & c)
{
  fmt::print(
    "Plant '{}' in {}, {:g} Hz, volts clamped at {:g} V, amplifier has {:g} V\n\n", c.plant.name,
    c.engine(c.robot, c.plant)->name(), c.arguments.run.rate, c.robot.limits().voltage,
    c.plant.supply_voltage);
  fmt::print(
    "{:<24} {:<15} {:>11} {:>10} {:>12} {:>9} {:>8}\n{:<24} {:<15} {:>11} {:>10} {:>12} {:>9} "
    "{:>8}\n",
    "curve", "mode", "ISE", "max error", "rms feedback", "max volts", "limited", "", "", "m^2 s",
    "mm", "V", "V", "cycles");
}

int run_compare(const CompareArguments & arguments)
{
  if (!arguments.report.empty() && arguments.plans.size() > 1)
  {
    throw InputError("--report: expected one plan; without it each plan gets a page beside it");
  }
  Comparison c{
    arguments, load_robot_for(arguments.run), load_settings_for(arguments.run),
    load_plant_for(arguments.run),
    arguments.hardware == "mujoco" ? make_mujoco_engine : make_equations_engine};
  std::vector<Plan> plans;
  for (const std::string & path : arguments.plans)
  {
    plans.push_back(load_plan(path));
    require_plan_fits(plans.back(), c.robot, path);
    require_plan_suits(plans.back(), c.settings, path);
  }
  print_heading(c);
  nlohmann::json json{
    {"schema", 1},
    {"content", "compare"},
    {"hardware", arguments.hardware},
    {"plant", c.plant.name},
    {"supply_voltage", c.plant.supply_voltage},
    {"voltage_limit", c.robot.limits().voltage},
    {"rate", arguments.run.rate},
    {"plans", nlohmann::json::array()}};
  for (std::size_t i = 0; i < plans.size(); ++i)
  {
    json["plans"].push_back(compare_one(c, arguments.plans[i], plans[i]));
  }
  if (!arguments.json.empty())
  {
    write_file_atomically(output_target(arguments.json), json.dump(2) + "\n");
  }
  return c.all_finished ? done : stopped_by_guard;
}

}  // namespace

void add_compare(CLI::App & app, int & exit_code)
{
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App * command =
    app.add_subcommand("compare", "Play plans with and without feedforward on a simulated robot");
  command->footer(
    "PD alone against feedforward+PD, on the same robot. Writes a page that shows both runs, as\n"
    "'fivebar report' does, and prints its path.\n\n"
    "Example:\n"
    "  fivebar compare b.plan.csv --plant config/plants/mismatched.yaml --robustness\n\n"
    "Exit codes: 0 done; 2 bad usage or bad file; 5 the guard stopped a run.");
  command->add_option("PLAN.csv", arguments->plans, "Plans, as 'fivebar plan' writes them")
    ->required();
  command->add_option("--hardware", arguments->hardware, "Engine of the simulation")
    ->type_name("NAME")
    ->capture_default_str()
    ->check(CLI::IsMember({"sim", "mujoco"}));
  add_run_options(*command, arguments->run);
  command->add_flag(
    "--robustness", arguments->robustness,
    "Also sweep model error, friction, noise and delay, and count the cases within tolerance");
  command->add_option("--tolerance", arguments->tolerance, "Largest error of P in these sweeps [m]")
    ->type_name("M")
    ->capture_default_str()
    ->check(CLI::PositiveNumber);
  auto * report = add_output(
    *command, "--report", arguments->report,
    "The page (default: PLAN.report.html beside the plan)");
  report->type_name("FILE.html");
  command->add_flag("--no-report", arguments->no_report, "Write no page")->excludes(report);
  add_output(*command, "--json", arguments->json, "Write the figures here (JSON)");
  command->callback([arguments, &exit_code] { exit_code = run_compare(*arguments); });
}

}  // namespace fivebar_control::cli
