// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "fivebar_control/learning/excite.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"
#include "output_file.hpp"
#include "terminal.hpp"

namespace fivebar_control::cli
{
namespace
{

struct ExciteArguments
{
  std::vector<std::string> groups;
  std::string robot, out = "excitation.plan.csv", json;
  ExciteOptions options;
  bool quiet = false;
};

/// On a terminal one line that is rewritten, otherwise a line now and then.
class SearchPrinter
{
public:
  SearchPrinter(int most, bool quiet)
  : most_(most), terminal_(rewrites_lines(stderr)), quiet_(quiet)
  {
  }

  void operator()(int motions, double worst)
  {
    const int tenth = 10 * motions / most_;
    if (!quiet_ && (terminal_ || tenth > printed_))
    {
      fmt::print(
        stderr, "{}{} of {} motions, worst sigma {:.3g} %{}", terminal_ ? "\r" : "", motions, most_,
        100.0 * worst, terminal_ ? "\033[K" : "\n");
      printed_ = tenth;
    }
  }

  void finish() const
  {
    if (!quiet_ && terminal_)
    {
      fmt::print(stderr, "\r\033[K");
    }
  }

private:
  int most_;
  bool terminal_;
  bool quiet_;
  int printed_ = -1;
};

double largest_speed(const PlanSamples & samples)
{
  double most = 0.0;
  for (std::size_t i = 0; i < samples.size(); ++i)
  {
    most = std::max(most, samples.speed(i).cwiseAbs().maxCoeff());
  }
  return most;
}

nlohmann::json to_json(const ExciteArguments & a, const Excitation & found)
{
  nlohmann::json expected = nlohmann::json::array();
  for (const ExpectedSigma & e : found.expected)
  {
    expected.push_back(
      {{"name", e.name},
       {"unit", e.unit},
       {"sigma", e.sigma},
       {"reference", e.reference},
       {"percent", 100.0 * e.share()},
       {"wanted", e.wanted}});
  }
  return {
    {"schema", 1},
    {"content", "excite"},
    {"plan", a.out},
    {"robot", {{"name", found.plan.robot_name}, {"fingerprint", found.plan.robot_fingerprint}}},
    {"criterion", "worst relative standard deviation"},
    {"duration", a.options.duration},
    {"seed", a.options.seed},
    {"counts_per_turn", a.options.counts_per_turn},
    {"noise", a.options.noise},
    {"motions", found.motions},
    {"first_worst_percent", 100.0 * found.first_worst},
    {"worst_percent", 100.0 * found.worst()},
    {"expected", expected},
    {"largest_voltage", found.plan.quality.largest_voltage},
    {"largest_speed", largest_speed(found.plan.samples)}};
}

void print_expected(const ExciteArguments & a, const Excitation & found)
{
  const Plan & plan = found.plan;
  fmt::print(
    "{:g} s that show '{}': {} motions tried (seed {}), worst sigma {:.3g} %, of the first ones "
    "{:.3g} %\n"
    "  at most {:.3g} V and {:.3g} rad/s; starts and ends at rest at phi1 = {:.4f}, phi4 = {:.4f} "
    "rad\n\n"
    "  expected of one run at {} counts per turn, if the robot is near its file\n"
    "  {:<24} {:>10}  {:<10} {:>8}  of\n",
    a.options.duration, plan.robot_name, found.motions, a.options.seed, 100.0 * found.worst(),
    100.0 * found.first_worst, plan.quality.largest_voltage, largest_speed(plan.samples),
    plan.samples.phi1[0], plan.samples.phi4[0], a.options.counts_per_turn, "parameter", "sigma", "",
    "%");
  for (const ExpectedSigma & e : found.expected)
  {
    fmt::print(
      "  {:<24} {:>10.3g}  {:<10} {:>8.3g}  {:.4g}{}\n", e.name, e.sigma, e.unit, 100.0 * e.share(),
      e.reference, e.wanted ? "" : "  (not asked for)");
  }
  fmt::print("\n  plan: {}\n", output_name(a.out));
}

int run_excite(ExciteArguments & a)
{
  const std::string robot_file = given_or_config(a.robot, "robot.yaml");
  for (const std::string & target : {a.out, a.json})
  {
    std::error_code error;
    if (!target.empty() && std::filesystem::equivalent(target, robot_file, error))
    {
      throw InputError(fmt::format("{} is the robot file", target));
    }
  }
  for (const std::string & name : a.groups)
  {
    a.options.for_groups.push_back(*std::find_if(
      lump_groups.begin(), lump_groups.end(),
      [&](LumpGroup group) { return name == to_string(group); }));
  }
  const RobotModel robot = load_robot(robot_file);
  SearchPrinter printer(a.options.most_motions, a.quiet);
  const Excitation found = excite(robot, a.options, [&](int motions, double worst) {
    printer(motions, worst);
    return true;
  });
  printer.finish();
  if (!a.json.empty())
  {
    write_file_atomically(output_target(a.json), to_json(a, found).dump(2) + "\n");
  }
  write_file_atomically(output_target(a.out), plan_text(found.plan));
  if (!a.quiet)
  {
    print_expected(a, found);
  }
  return done;
}

void add_limits(CLI::App & command, ExciteArguments & a)
{
  command.add_option("--duration", a.options.duration, "How long the motion is [s]")
    ->type_name("S")
    ->capture_default_str()
    ->check(CLI::Range(2.0, 60.0));
  command
    .add_option(
      "--volts", a.options.volts_share,
      "Share of the robot's volts for the feedforward; the rest is the feedback's")
    ->type_name("SHARE")
    ->capture_default_str()
    ->check(CLI::Range(0.05, 1.0));
  command
    .add_option("--speed", a.options.speed_share, "Share of the robot's joint speed that is used")
    ->type_name("SHARE")
    ->capture_default_str()
    ->check(CLI::Range(0.05, 1.0));
  command
    .add_option(
      "--clearance", a.options.clearance,
      "Distance from joint ranges [rad], and in the sines of both singularity margins")
    ->type_name("RAD")
    ->capture_default_str()
    ->check(CLI::Range(0.0, 1.0));
}

}  // namespace

void add_excite(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<ExciteArguments>();
  CLI::App * command =
    app.add_subcommand("excite", "Plan a motion that shows the robot's parameters");
  command->footer(
    "A sum of five sines per joint, from rest to rest, whose frequencies, amplitudes and centre\n"
    "make the worst relative standard deviation of the chosen parameters small, within volts,\n"
    "speed, joint ranges and singularity margins. The plan is one like any other: play it, give\n"
    "its log to 'fivebar identify'. docs/learning.md\n\n"
    "Groups of --for: inertia, gain, damping, coulomb, tilt, offsets. Without it: the first four.\n"
    "What is not asked for is taken as unknown all the same.\n\n"
    "Example:\n"
    "  fivebar excite --out e.plan.csv\n"
    "  fivebar run e.plan.csv --log e.log.csv\n"
    "  fivebar identify e.log.csv --out robot.identified.yaml\n\n"
    "Exit codes: 0 done; 2 bad usage, bad file or no room to move (nothing is written).");
  command->add_option("--robot", a->robot, robot_text)->type_name("FILE.yaml");
  command->add_option("--for", a->groups, "What the motion is to show (default: see below)")
    ->type_name("GROUP")
    ->check(CLI::IsMember({"inertia", "gain", "damping", "coulomb", "tilt", "offsets"}));
  add_limits(*command, *a);
  command->add_option("--counts", a->options.counts_per_turn, "Encoder counts per turn of a link")
    ->type_name("N")
    ->capture_default_str()
    ->check(CLI::Range(16, 100000000));
  command->add_option("--noise", a->options.noise, "Noise of the encoders before rounding [rad]")
    ->type_name("RAD")
    ->capture_default_str()
    ->check(CLI::Range(0.0, 0.1));
  command->add_option("--seed", a->options.seed, "Of the search: another one, another motion")
    ->type_name("N")
    ->capture_default_str();
  command->add_option("--motions", a->options.most_motions, "How many motions are tried")
    ->type_name("N")
    ->capture_default_str()
    ->check(CLI::Range(20, 1000000));
  add_output(*command, "--out", a->out, "Plan to write")->capture_default_str();
  add_output(*command, "--json", a->json, "Write what to expect here (JSON)");
  command->add_flag("--quiet", a->quiet, "Print errors only");
  command->callback([a, &exit_code] { exit_code = run_excite(*a); });
}

}  // namespace fivebar_control::cli
