// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "balance_film.hpp"
#include "balance_report.hpp"
#include "commands.hpp"
#include "fivebar_control/controller/balance_settings.hpp"
#include "fivebar_control/daemon/balance_trial.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/planner/balance_planner.hpp"
#include "fivebar_control/report/picture_file.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/package_version.hpp"
#include "notes.hpp"
#include "output_file.hpp"
#include "terminal.hpp"

namespace fivebar_control::cli
{
namespace
{

constexpr double degree = std::numbers::pi / 180.0;

struct BalanceArguments
{
  std::string file, robot, engine = "sim";
  std::vector<double> tilt;  // deg
  std::string out, log, json, picture;
  double hold = -1.0;  // s; negative: the file's
  double model_error = 0.1, start_error = 0.5, zero_error = 0.0, film = 4.0;
  double duration = 0.0;  // s; 0: the file's
  int trials = 0;
  BalanceTrialSettings trial;
  bool plan_only = false, quiet = false;
};

/// Everything that is read from the file and the options.
struct Task
{
  RobotModel robot;
  BalanceRequest request;
  BalanceSettings settings;
  YamlMap map;
};

YamlMap load_with_overrides(const BalanceArguments & a)
{
  YamlMap map = YamlMap::load(given_or_config(a.file, "balance/upright.yaml"));
  if (!a.tilt.empty())
  {
    map.set("start.a1", fmt::format("{}", a.tilt[0] * degree));
    map.set("start.a2", fmt::format("{}", a.tilt[1] * degree));
  }
  if (a.duration > 0.0)
  {
    map.set("plan.duration", fmt::format("{}", a.duration));
  }
  return map;
}

std::string robot_file(
  const BalanceArguments & a, const BalanceRequest & request, const YamlMap & map)
{
  if (!a.robot.empty() || request.robot.empty())
  {
    return given_or_config(a.robot, "robot.yaml");
  }
  const std::filesystem::path path(request.robot);
  return path.is_relative()
           ? (std::filesystem::path(map.file()).parent_path() / path).lexically_normal().string()
           : request.robot;
}

Task read_task(const BalanceArguments & a)
{
  YamlMap map = load_with_overrides(a);
  BalanceRequest request = read_balance_request(map);
  const auto control = map.optional_map("control");
  BalanceSettings settings = control ? read_balance_settings(*control) : BalanceSettings{};
  settings.hold_time = a.hold >= 0.0 ? a.hold : settings.hold_time;
  RobotModel robot = load_robot(robot_file(a, request, map));
  return {std::move(robot), std::move(request), settings, std::move(map)};
}

/// A line that is rewritten on a terminal, a line per stage elsewhere.
class PlanPrinter
{
public:
  explicit PlanPrinter(bool quiet) : terminal_(rewrites_lines(stderr)), quiet_(quiet) {}
  bool operator()(std::size_t stage, const ShootingIteration & i)
  {
    if (!quiet_ && (terminal_ || stage != stage_))
    {
      fmt::print(
        stderr, "{}planning: stage {}, iteration {}, cost {:.6g}{}", terminal_ ? "\r" : "",
        stage + 1, i.number, i.cost, terminal_ ? "\033[K" : "\n");
    }
    stage_ = stage;
    return true;
  }
  void finish() const
  {
    if (!quiet_ && terminal_)
    {
      fmt::print(stderr, "\r\033[K");
    }
  }

private:
  bool terminal_, quiet_;
  std::size_t stage_ = static_cast<std::size_t>(-1);
};

/// The picture's ending is known, before anything is computed.
void require_picture(const BalanceArguments & a)
{
  const std::string ending = std::filesystem::path(a.picture).extension().string();
  if (
    !a.picture.empty() && ending != ".svg" && ending != ".gif" && ending != ".mp4" &&
    ending != ".png")
  {
    throw InputError(fmt::format(
      "--picture: {}: the name must end in .svg, .gif, .mp4, or .png for a still picture",
      a.picture));
  }
}

void write_picture(const BalanceArguments & a, const Task & task, const BalanceTrial & trial)
{
  const SkeletonPicture picture(
    skeleton_of_balance(trial, lump(task.robot, task.request.pendulum), task.request.name, a.film));
  MovieOptions options;
  const std::string ending = std::filesystem::path(a.picture).extension().string();
  const auto write = ending == ".svg"   ? &write_framed_svg
                     : ending == ".png" ? &write_still
                                        : &write_movie;
  write(picture, options, a.picture);
}

/// Many robots; how many stood.
nlohmann::json run_trials(
  BalanceArguments & a, const Task & task, const BalancePlan & plan, const BalanceGains & gains)
{
  nlohmann::json list = nlohmann::json::array();
  int stood = 0;
  double worst_tilt = 0.0;
  double worst_distance = 0.0;
  for (int n = 1; n <= a.trials; ++n)
  {
    a.trial.number = static_cast<std::uint64_t>(n);
    const BalanceTrial t =
      try_balance(task.robot, task.request.pendulum, plan, gains, task.settings, a.trial, false);
    list.push_back(trial_json(t, a.trial.number));
    stood += t.stood ? 1 : 0;
    if (t.stood)
    {
      worst_tilt = std::max(worst_tilt, t.held_tilt);
      worst_distance = std::max(worst_distance, t.held_distance);
    }
    else if (!a.quiet)
    {
      fmt::print("  trial {}: {}\n", n, outcome_of(t));
    }
  }
  if (!a.quiet)
  {
    fmt::print(
      "{} of {} random robots stand; those within {:.3f} degrees and {:.2f} mm while held\n", stood,
      a.trials, worst_tilt / degree, 1e3 * worst_distance);
  }
  return {
    {"count", a.trials},
    {"stood", stood},
    {"largest_held_tilt", worst_tilt},
    {"largest_held_distance", worst_distance},
    {"trials", list}};
}

/// Plays the plan; returns whether every pendulum stood.
bool play(BalanceArguments & a, const Task & task, const BalancePlan & plan, nlohmann::json & json)
{
  const PendulumConstants<double> constants = lump(task.robot, task.request.pendulum);
  const BalanceGains gains = make_balance_gains(
    constants, task.robot.parameters().home, plan, a.trial.period, task.settings.gains);
  a.trial.engine =
    a.engine == "mujoco" ? PendulumEngineKind::mujoco : PendulumEngineKind::equations;
  a.trial.model_error = a.model_error;
  a.trial.start_error = a.start_error * degree;
  a.trial.zero_error = a.zero_error * degree;
  const BalanceTrial trial =
    try_balance(task.robot, task.request.pendulum, plan, gains, task.settings, a.trial, true);
  if (!a.quiet)
  {
    print_trial(trial, a.trial, task.settings.hold_time);
  }
  json["run"] = trial_json(trial, 0);
  json["run"]["engine"] = trial.engine;
  bool good = trial.stood;
  if (!a.log.empty())
  {
    save_balance_log(trial, constants, plan.name, output_target(a.log));
  }
  if (!a.picture.empty())
  {
    write_picture(a, task, trial);
  }
  if (a.trials > 0)
  {
    json["trials"] = run_trials(a, task, plan, gains);
    good = good && json["trials"]["stood"] == a.trials;
  }
  return good;
}

int run_balance(BalanceArguments & a)
{
  require_picture(a);
  const Task task = read_task(a);
  PlanPrinter printer(a.quiet);
  const BalanceResult result = concerning(task.map.file(), [&] {
    BalanceResult planned = make_balance_plan(
      task.robot, task.request,
      [&printer](std::size_t stage, const ShootingIteration & i) { return printer(stage, i); });
    printer.finish();
    return planned;
  });
  const BalancePlan & plan = result.plan;
  const BalanceQuality quality = quality_of(lump(task.robot, task.request.pendulum), plan);
  if (!a.quiet)
  {
    print_notes(result.notes);
    print_plan(result, quality);
  }
  nlohmann::json json{{"schema", 1}, {"content", "balance"}, {"plan", plan_json(result, quality)}};
  if (!a.out.empty())
  {
    save_balance_plan(
      plan, lump(task.robot, task.request.pendulum), package_version(), output_target(a.out));
  }
  bool stood = true;
  if (!a.plan_only)
  {
    concerning(task.map.file(), [&] { require_balance_fits(task.robot, plan); });
    require_tilt_limit(task.map, task.settings, quality.largest_tilt);
    stood = play(a, task, plan, json);
  }
  if (!a.json.empty())
  {
    write_file_atomically(output_target(a.json), json.dump(2) + "\n");
  }
  return plan.verdict != Verdict::converged ? not_converged : stood ? done : stopped_by_guard;
}

void add_simulation(CLI::App & command, BalanceArguments & a)
{
  command.add_option("--engine", a.engine, "Who simulates: our equations or MuJoCo")
    ->type_name("NAME")
    ->check(CLI::IsMember({"sim", "mujoco"}))
    ->capture_default_str();
  command
    .add_option(
      "--model-error", a.model_error,
      "Share by which each mass, centre, inertia and motor constant is off, either way")
    ->type_name("SHARE")
    ->check(CLI::Range(0.0, 0.5))
    ->capture_default_str();
  command
    .add_option("--start-error", a.start_error, "By how much the hand is off in a1 and a2 [deg]")
    ->type_name("DEG")
    ->check(CLI::Range(0.0, 5.0))
    ->capture_default_str();
  command.add_option("--zero-error", a.zero_error, "By how much each encoder's zero is off [deg]")
    ->type_name("DEG")
    ->check(CLI::Range(0.0, 5.0))
    ->capture_default_str();
  command
    .add_option(
      "--counts", a.trial.plant.counts_per_turn, "Counts per turn of each of the four encoders")
    ->type_name("N")
    ->check(CLI::Range(16.0, 1e8))
    ->capture_default_str();
  command
    .add_option("--delay", a.trial.plant.delay_cycles, "Cycles from the controller to the motors")
    ->type_name("N")
    ->check(CLI::Range(0, 20))
    ->capture_default_str();
  command.add_option("--hold", a.hold, "How long it is held upright [s] (default: the file's)")
    ->type_name("S")
    ->check(CLI::Range(0.0, 86400.0));
  command.add_option("--trials", a.trials, "Play it on this many random robots, too")
    ->type_name("N")
    ->check(CLI::Range(0, 100000))
    ->capture_default_str();
  command.add_option("--seed", a.trial.seed, "Of the random robots")
    ->type_name("N")
    ->capture_default_str();
}

}  // namespace

void add_balance(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<BalanceArguments>();
  CLI::App * command =
    app.add_subcommand("balance", "Bring a pendulum on P upright, and hold it there");
  command->footer(
    "Plans the volts that bring the pendulum upright, within hard bounds, plays them on a\n"
    "simulated robot that is not quite the model, with feedback along the plan, and holds the\n"
    "pendulum upright. docs/pendulum.md\n\n"
    "Examples:\n"
    "  fivebar balance\n"
    "  fivebar balance --tilt -5 -5 --trials 50 --json balance.json\n"
    "  fivebar balance --engine mujoco --log run.csv --picture pendulum.gif\n"
    "  fivebar balance config/balance/published.yaml --plan-only --out sp4.csv\n\n"
    "Exit codes: 0 every pendulum stood; 2 bad usage, bad file, or no motion within the volts;\n"
    "3 the solver did not converge; 5 a pendulum fell or the guard stopped it.");
  command->add_option(
    "FILE.yaml", a->file, "What to do (default: balance/upright.yaml of config/)");
  command->add_option("--robot", a->robot, "Robot file, instead of the one that FILE.yaml names")
    ->type_name("FILE.yaml");
  command->add_option("--tilt", a->tilt, "Start from a1 and a2 [deg], instead of the file's")
    ->type_name("A1 A2")
    ->expected(2);
  command->add_option("--duration", a->duration, "Of the plan [s], instead of the file's")
    ->type_name("S")
    ->check(CLI::Range(0.01, 100.0));
  command->add_flag("--plan-only", a->plan_only, "Plan, and play nothing");
  add_simulation(*command, *a);
  add_output(*command, "--out", a->out, "Write the plan here (CSV)");
  add_output(*command, "--log", a->log, "Write every cycle of the run here (CSV)");
  command->add_option("--picture", a->picture, "Draw the run: .svg, .gif, .mp4 or .png")
    ->type_name("FILE");
  command->add_option("--film", a->film, "How much of the run is drawn [s]")
    ->type_name("S")
    ->check(CLI::Range(0.1, 60.0))
    ->capture_default_str();
  add_output(*command, "--json", a->json, "Write the results here (JSON)");
  command->add_flag("--quiet", a->quiet, "Print errors only");
  command->callback([a, &exit_code] { exit_code = run_balance(*a); });
}

}  // namespace fivebar_control::cli
