// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "fivebar_control/daemon/compared_laws.hpp"
#include "fivebar_control/daemon/experiment.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/report/html_report.hpp"
#include "fivebar_control/runs/run_record.hpp"
#include "fivebar_control/simulation/engines.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "output_file.hpp"
#include "run_arguments.hpp"

namespace fivebar_control::cli
{
namespace
{

struct CompareArguments
{
  RunArguments run;
  std::vector<std::string> plans, also;
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

void print_result(const std::string & curve, const std::string & law, const ExperimentResult & r)
{
  fmt::print(
    "{:<24} {:<24} {:>11.4g} {:>10.3f} {:>12.3f} {:>9.2f} {:>8}", curve, law, r.score.ise,
    1e3 * r.score.largest_error, r.score.feedback_rms, r.score.largest_volts,
    r.score.limited_cycles);
  if (r.outcome.end != RunEnd::finished)
  {
    fmt::print("  {}: {}", to_string(r.outcome.end), describe(r.outcome.finding));
  }
  fmt::print("\n");
}

/// What every plan of one comparison is played with.
struct Experimenter
{
  const RobotModel & robot;
  const PlayablePlan & plan;
  const EngineMaker & engine;
  std::int64_t period_ns;

  Experiment with(const ComparedLaw & law) const
  {
    return {robot, plan, law.settings, period_ns, engine};
  }
};

nlohmann::json compare_robustness(
  const Experimenter & experimenter, const std::vector<ComparedLaw> & laws,
  const PlantParameters & plant, double tolerance)
{
  const std::vector<Sweep> sweeps = robustness_sweeps(plant);
  nlohmann::json json{{"tolerance", tolerance}, {"sweeps", nlohmann::json::array()}};
  std::vector<std::vector<SweepResult>> results;
  std::string heading = fmt::format("  {:<32}", "disturbance");
  std::string last = fmt::format("  {:<32}", "score");
  for (const ComparedLaw & law : laws)
  {
    results.push_back(run_sweeps(experimenter.with(law), sweeps, law.mode, tolerance));
    const double score = robustness_score(results.back());
    heading += fmt::format(" {:>{}}", law.name, std::max<std::size_t>(8, law.name.size()));
    last += fmt::format(" {:>{}.2f}", score, std::max<std::size_t>(8, law.name.size()));
    json["score_" + law.key] = score;
  }
  fmt::print(
    "\n  Robustness: cases that finish with an error of P of at most {:g} mm at the encoder\n{}\n",
    1e3 * tolerance, heading);
  for (std::size_t s = 0; s < sweeps.size(); ++s)
  {
    nlohmann::json row{{"name", sweeps[s].name}, {"strengths", sweeps[s].strengths}};
    fmt::print("  {:<32}", sweeps[s].name);
    for (std::size_t m = 0; m < laws.size(); ++m)
    {
      const SweepResult & r = results[m][s];
      fmt::print(
        " {:>{}}", fmt::format("{}/{}", r.within, r.cases),
        std::max<std::size_t>(8, laws[m].name.size()));
      row["within_" + laws[m].key] = r.within;
    }
    fmt::print("\n");
    json["sweeps"].push_back(row);
  }
  fmt::print("{}\n\n", last);
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

/// Another plan of the same curve, for another robot file.
struct AlsoPlan
{
  std::string file;
  RobotModel robot;
  Plan plan;
};

/// PLAN.csv, or PLAN.csv@ROBOT.yaml for one that was made for another robot file.
AlsoPlan load_also(const std::string & text, const RobotModel & robot)
{
  const std::size_t at = text.find('@');
  const std::string file = text.substr(0, at);
  AlsoPlan also{
    file, at == std::string::npos ? robot : load_robot(text.substr(at + 1)), load_plan(file)};
  require_plan_fits(also.plan, also.robot, file);
  return also;
}

/// What all plans of one comparison share.
struct Comparison
{
  const CompareArguments & arguments;
  RobotModel robot;
  ControllerSettings settings;
  PlantParameters plant;
  EngineMaker engine;
  std::vector<AlsoPlan> also;
  bool all_finished = true;
};

ExperimentResult play_law(
  Comparison & c, const RobotModel & robot, const Experimenter & experimenter, const Plan & plan,
  const ComparedLaw & law, std::vector<RunRecord> & runs)
{
  RecordKeeper keeper(robot);
  const ExperimentResult result =
    run_experiment(experimenter.with(law), c.plant, law.mode, &keeper);
  const RunOutcome & outcome = result.outcome;
  const RunDescription description = describe_run(
    plan, robot, law.settings, "simulated robot (plant '" + c.plant.name + "')", law.mode,
    c.arguments.run.rate, true);
  runs.push_back(keeper.finish(description, outcome.end, outcome.finding.reason));
  c.all_finished = c.all_finished && outcome.end == RunEnd::finished;
  return result;
}

/// How many times less than PD alone, and what the encoder could show at most.
struct Ratio
{
  double measured, truth;
};

Ratio ratio_of(const ExperimentResult & pd, const ExperimentResult & other)
{
  return {
    pd.score.ise / other.score.ise,
    pd.score.true_ise.value_or(0.0) / other.score.true_ise.value_or(1.0)};
}

void print_ratio(const std::string & law, const Ratio & ratio)
{
  fmt::print(
    "{:<24} {} has {:.1f} times less ISE at the encoder, {:.1f} in truth\n", "", law,
    ratio.measured, ratio.truth);
}

/// Plans of the same curve for other robot files, such as an identified one: played with
/// feedforward + PD and, unless they have learned, with observer and gains along the plan.
nlohmann::json compare_also(Comparison & c, const ExperimentResult & pd)
{
  nlohmann::json entries = nlohmann::json::array();
  for (const AlsoPlan & also : c.also)
  {
    const PlayablePlan playable(also.plan.samples);
    const Experimenter experimenter{also.robot, playable, c.engine, c.arguments.run.period_ns()};
    nlohmann::json entry{{"plan", also.file}, {"robot", also.robot.parameters().name}};
    for (const ComparedLaw & law : laws_to_compare(c.settings, also.plan))
    {
      if (law.mode == ControlMode::feedback_only)
      {
        continue;
      }
      std::vector<RunRecord> unused;
      const ExperimentResult result = play_law(c, also.robot, experimenter, also.plan, law, unused);
      print_result(also.file, law.name, result);
      const Ratio ratio = ratio_of(pd, result);
      print_ratio(law.name, ratio);
      entry[law.key] = json_of(result);
      entry[law.key]["ise_ratio"] = ratio.measured;
      entry[law.key]["true_ise_ratio"] = ratio.truth;
    }
    entries.push_back(entry);
  }
  return entries;
}

nlohmann::json compare_one(Comparison & c, const std::string & plan_file, const Plan & plan)
{
  const PlayablePlan playable(plan.samples);
  const Experimenter experimenter{c.robot, playable, c.engine, c.arguments.run.period_ns()};
  const std::vector<ComparedLaw> laws = laws_to_compare(c.settings, plan);
  std::vector<ExperimentResult> results;
  std::vector<RunRecord> runs;
  nlohmann::json entry{{"plan", plan_file}, {"curve", plan.curve_name}};
  for (const ComparedLaw & law : laws)
  {
    results.push_back(play_law(c, c.robot, experimenter, plan, law, runs));
    print_result(plan.curve_name, law.name, results.back());
    entry[law.key] = json_of(results.back());
  }
  for (std::size_t i = 1; i < laws.size(); ++i)
  {
    const Ratio ratio = ratio_of(results[0], results[i]);
    print_ratio(laws[i].name, ratio);
    entry[laws[i].key]["ise_ratio"] = ratio.measured;
    entry[laws[i].key]["true_ise_ratio"] = ratio.truth;
  }
  entry["ise_ratio"] = entry["feedforward_pd"]["ise_ratio"];
  entry["true_ise_ratio"] = entry["feedforward_pd"]["true_ise_ratio"];
  fmt::print(
    "{:<24} rounding to counts alone is {:.4g} m^2 s: at most {:.0f} times\n", "",
    results[1].score.encoder_floor, results[0].score.ise / results[1].score.encoder_floor);
  if (!c.also.empty())
  {
    entry["also"] = compare_also(c, results[0]);
  }
  if (!c.arguments.no_report)
  {
    write_report(c.arguments, plan_file, plan, c.robot, std::move(runs));
  }
  if (c.arguments.robustness)
  {
    entry["robustness"] = compare_robustness(experimenter, laws, c.plant, c.arguments.tolerance);
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
    "{:<24} {:<24} {:>11} {:>10} {:>12} {:>9} {:>8}\n{:<24} {:<24} {:>11} {:>10} {:>12} {:>9} "
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
    arguments,
    load_robot_for(arguments.run),
    load_settings_for(arguments.run),
    load_plant_for(arguments.run),
    engine_named(arguments.hardware, arguments.run.period_ns()),
    {}};
  if (!arguments.also.empty() && arguments.plans.size() > 1)
  {
    throw InputError("--also: expected one plan to compare with");
  }
  for (const std::string & text : arguments.also)
  {
    c.also.push_back(load_also(text, c.robot));
  }
  if (!c.also.empty() && !c.plant.robot)
  {
    // One true robot, whichever file a plan was made for.
    c.plant.robot = std::make_shared<const RobotModel>(c.robot);
  }
  std::vector<Plan> plans;
  for (const std::string & path : arguments.plans)
  {
    plans.push_back(load_plan(path));
    require_plan_fits(plans.back(), c.robot, path);
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
    app.add_subcommand("compare", "Play plans with each control law on a simulated robot");
  command->footer(
    "PD alone against feedforward with PD, with observer and gains along the plan (kalman+tvlqr),\n"
    "and the same looking ahead within the voltage limit (kalman+mpc), on the same robot; a plan\n"
    "that has learned with PD only. Writes a page that shows all runs, as 'fivebar report' does,\n"
    "and prints its path. Ratios are at the encoder: what sits behind it shows in truth alone.\n\n"
    "Example:\n"
    "  fivebar compare b.plan.csv --plant config/plants/mismatched.yaml --robustness\n"
    "  fivebar compare b.plan.csv --also learned.csv --also b2.csv@found.yaml --plant p.yaml\n\n"
    "Exit codes: 0 done; 2 bad usage or bad file; 5 the guard stopped a run.");
  command->add_option("PLAN.csv", arguments->plans, "Plans, as 'fivebar plan' writes them")
    ->required();
  command
    ->add_option(
      "--also", arguments->also,
      "Another plan of the same curve on the same robot: learned, or for an identified robot file")
    ->type_name("PLAN.csv[@ROBOT.yaml]");
  command->add_option("--hardware", arguments->hardware, "Engine of the simulation")
    ->type_name("NAME")
    ->capture_default_str()
    ->check(CLI::IsMember({"sim", "mujoco", "gazebo"}));
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
