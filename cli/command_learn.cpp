// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "fivebar_control/learning/learn.hpp"
#include "fivebar_control/learning/model_check.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"
#include "learning_demo.hpp"
#include "output_file.hpp"

namespace fivebar_control::cli
{
namespace
{

struct LearnArguments
{
  std::string plan, robot, out, json;
  std::vector<std::string> logs;
  LearnOptions options;
  bool demo = false;
  bool trust_model = false;
  DemoArguments demo_arguments;
};

nlohmann::json to_json(const LearnArguments & a, const Learned & learned)
{
  return {
    {"schema", 1},
    {"content", "learn"},
    {"plan", a.plan},
    {"logs", a.logs},
    {"out", a.out},
    {"measured_ise", learned.measured_ise},
    {"predicted_ise", learned.predicted_ise},
    {"encoder_floor", learned.encoder_floor},
    {"largest_change", learned.largest_change},
    {"voltages_at_a_bound", learned.bounded},
    {"rate", a.options.rate},
    {"updates_so_far", learned.plan.lessons.size()}};
}

void require_sense(const LearnArguments & a)
{
  if (a.plan.empty() || a.logs.empty() || a.out.empty())
  {
    throw InputError("learn: expected PLAN.csv, at least one LOG.csv and --out (or --demo)");
  }
  std::vector<std::string> sources = a.logs;
  sources.push_back(a.plan);
  for (const std::string & source : sources)
  {
    std::error_code error;
    if (std::filesystem::equivalent(a.out, source, error))
    {
      throw InputError(fmt::format("--out: {} is one of the files to learn from", a.out));
    }
  }
}

/// Learning on a model that does not know a resonance feeds it.
void require_model_carries(const RobotModel & robot, const RunRecord & run, const std::string & log)
{
  const std::optional<ModelCheck> check = check_model(robot, run);
  if (check && check->is_resonance())
  {
    throw InputError(
      {log},
      fmt::format(
        "the robot swings at about {:.0f} Hz, which its model does not know (chi^2/N {:.3g}): "
        "learning would feed it. Identify it with its elastic drives first (fivebar "
        "identify), or insist (--trust-model)",
        check->swing.frequency, check->misfit));
  }
}

int run_learn(const LearnArguments & a)
{
  if (a.demo)
  {
    return a.demo_arguments.outside ? run_outside_demo(a.demo_arguments, a.json)
                                    : run_learning_demo(a.demo_arguments, a.json);
  }
  require_sense(a);
  const RobotModel robot = load_robot(given_or_config(a.robot, "robot.yaml"));
  const Plan plan = load_plan(a.plan);
  require_plan_fits(plan, robot, a.plan);
  std::vector<RunRecord> runs;
  for (const std::string & log : a.logs)
  {
    runs.push_back(load_run_record(log));
  }
  if (!a.trust_model)
  {
    require_model_carries(robot, runs.front(), a.logs.front());
  }
  const Learned learned = learn(robot, plan, a.plan, runs, a.options);
  require_plan_fits(learned.plan, robot, a.out);
  if (!a.json.empty())
  {
    write_file_atomically(output_target(a.json), to_json(a, learned).dump(2) + "\n");
  }
  write_file_atomically(output_target(a.out), plan_text(learned.plan));
  fmt::print(
    "Learned from {} run{}: update {} of this plan\n"
    "  at the encoder ISE {:.4g} m^2 s; the model leaves {:.4g} m^2 s of it\n"
    "  encoder        rounding to counts alone gives an ISE of {:.4g} m^2 s\n"
    "  feedforward    changed by at most {:.3f} V{}\n"
    "  plan           {}\n",
    runs.size(), runs.size() == 1 ? "" : "s", learned.plan.lessons.size(), learned.measured_ise,
    learned.predicted_ise, learned.encoder_floor, learned.largest_change,
    learned.bounded > 0 ? fmt::format(", {} voltages are at a bound", learned.bounded) : "",
    output_name(a.out));
  return done;
}

void add_demo_options(CLI::App & command, LearnArguments & a)
{
  command.add_flag(
    "--demo", a.demo,
    "Take random robots from unknown to learned on curves A, B and C, and print the table");
  command.add_flag(
    "--outside", a.demo_arguments.outside,
    "With --demo: plants with effects that the model does not know, and what becomes of them");
  command.add_flag(
    "--rigid", a.demo_arguments.rigid,
    "With --outside: identify rigid drives and ideal amplifiers only");
  command.add_option("--plants", a.demo_arguments.plants, "With --outside: these plants instead")
    ->type_name("FILE.yaml");
  command.add_option("--robots", a.demo_arguments.robots, "How many random robots")
    ->type_name("N")
    ->capture_default_str()
    ->check(CLI::Range(1, 1000));
  command.add_option("--seed", a.demo_arguments.seed, "Which random robots")
    ->type_name("N")
    ->capture_default_str();
  command.add_option("--hardware", a.demo_arguments.hardware, "Engine of the random robots")
    ->type_name("NAME")
    ->capture_default_str()
    ->check(CLI::IsMember({"sim", "mujoco"}));
}

}  // namespace

void add_learn(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<LearnArguments>();
  CLI::App * command =
    app.add_subcommand("learn", "Improve a plan's feedforward by what runs of it measured");
  command->footer(
    "Norm-optimal learning on the closed loop along the plan: the new plan has the same reference\n"
    "and, within the volts, the feedforward that most probably makes up for the measured error.\n"
    "Several logs of the same plan are averaged. 'fivebar run --learn N' plays and learns by\n"
    "itself. docs/learning.md\n\n"
    "Example:\n"
    "  fivebar run b.plan.csv --log b.log.csv\n"
    "  fivebar learn b.plan.csv b.log.csv --out b2.plan.csv\n"
    "  fivebar learn --demo --robots 8\n\n"
    "Exit codes: 0 done; 2 bad usage or bad file; 3 the demonstration missed its figure.");
  command->add_option("PLAN.csv", a->plan, "Plan that was played");
  command->add_option("LOG.csv", a->logs, "Logs of runs of this plan ('fivebar run --log')");
  command->add_option("--robot", a->robot, robot_text)->type_name("FILE.yaml");
  command
    ->add_option(
      "--rate", a->options.rate,
      "How much the change may change from cycle to cycle [V]: smaller is slower and surer")
    ->type_name("V")
    ->capture_default_str()
    ->check(CLI::Range(1e-5, 10.0));
  command->add_option("--largest-change", a->options.largest_change, "Limit of one update [V]")
    ->type_name("V")
    ->capture_default_str()
    ->check(CLI::Range(1e-3, 100.0));
  command
    ->add_option(
      "--noise", a->options.noise,
      "Noise of the encoders before rounding [rad], standard deviation (default: found)")
    ->type_name("RAD")
    ->check(CLI::Range(0.0, 0.1));
  command->add_flag(
    "--trust-model", a->trust_model,
    "Learn although the robot swings in a way that its model does not know");
  add_output(*command, "--out", a->out, "The plan to write")->type_name("PLAN2.csv");
  add_output(*command, "--json", a->json, "Write the figures here (JSON)");
  add_demo_options(*command, *a);
  command->callback([a, &exit_code] { exit_code = run_learn(*a); });
}

}  // namespace fivebar_control::cli
