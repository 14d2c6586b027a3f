// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "commands.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "output_file.hpp"
#include "run_arguments.hpp"
#include "soak/soak.hpp"
#include "terminal.hpp"

namespace fivebar_control::cli
{
namespace
{

struct SoakArguments
{
  RunArguments run;
  soak::Options soak;
  std::int64_t episode = -1;
  std::string json;
};

ControlState state_at(std::size_t i) { return static_cast<ControlState>(i); }

template <class Print>
void for_each_transition(const soak::Counters & c, Print && print)
{
  for (std::size_t from = 0; from < soak::state_count; ++from)
  {
    for (std::size_t to = 0; to < soak::state_count; ++to)
    {
      if (from != to && c.transitions[from][to] > 0)
      {
        print(to_string(state_at(from)), to_string(state_at(to)), c.transitions[from][to]);
      }
    }
  }
}

nlohmann::json json_of(const SoakArguments & arguments, const soak::Result & result)
{
  const soak::Counters & c = result.counters;
  nlohmann::json json{
    {"schema", 1},
    {"content", "soak"},
    {"seed", arguments.soak.seed},
    {"episodes", result.episodes},
    {"robot_seconds", static_cast<double>(c.cycles * soak::period_ns) * 1e-9},
    {"seconds", result.seconds},
    {"runs", c.runs},
    {"cycles", c.cycles},
    {"late_cycles", c.late_cycles},
    {"limited_cycles", c.limited_cycles},
    {"clean_runs", c.clean_runs},
    {"foreign_plans_refused", c.foreign_plans},
    {"latched_starts_refused", c.latched_starts},
    {"checksum", fmt::format("{:016x}", c.checksum)},
    {"memory_kb",
     {{"begin", result.memory.begin},
      {"end", result.memory.end},
      {"largest", result.memory.largest}}}};
  for_each_transition(c, [&](const char * from, const char * to, std::int64_t count) {
    json["transitions"][from][to] = count;
  });
  for (std::size_t i = 1; i < c.reasons.size(); ++i)
  {
    json["reasons"][to_string(static_cast<Reason>(i))] = c.reasons[i];
  }
  for (std::size_t i = 0; i < c.ends.size(); ++i)
  {
    json["ends"][to_string(static_cast<RunEnd>(i))] = c.ends[i];
  }
  for (std::size_t i = 0; i < c.troubles.size(); ++i)
  {
    json["troubles"][to_string(static_cast<soak::Trouble>(i))] = c.troubles[i];
  }
  json["violation"] = nullptr;
  if (result.violation)
  {
    json["violation"] = {
      {"what", result.violation->what},
      {"episode", result.violation->episode},
      {"run", result.violation->run},
      {"cycle", result.violation->cycle}};
  }
  return json;
}

void print_row(const char * name, std::int64_t count)
{
  if (count > 0)
  {
    fmt::print("    {:<28} {:>12}\n", name, count);
  }
}

void print_result(const SoakArguments & arguments, const soak::Result & result)
{
  const soak::Counters & c = result.counters;
  const double robot_seconds = static_cast<double>(c.cycles * soak::period_ns) * 1e-9;
  fmt::print(
    "Soak with seed {}: {} episodes, {} runs, {} cycles = {:.3f} h of robot time in {:.1f} s "
    "({:.0f} "
    "times real time)\n",
    arguments.soak.seed, result.episodes, c.runs, c.cycles, robot_seconds / 3600.0, result.seconds,
    robot_seconds / result.seconds);
  fmt::print("  what was done to it\n");
  for (std::size_t i = 0; i < c.troubles.size(); ++i)
  {
    print_row(to_string(static_cast<soak::Trouble>(i)), c.troubles[i]);
  }
  print_row("plans for another robot", c.foreign_plans);
  print_row("starts with a latched fault", c.latched_starts);
  fmt::print("  how runs ended ({} untroubled ones, all finished)\n", c.clean_runs);
  for (std::size_t i = 0; i < c.ends.size(); ++i)
  {
    print_row(to_string(static_cast<RunEnd>(i)), c.ends[i]);
  }
  fmt::print("  reasons of faults and refusals\n");
  for (std::size_t i = 1; i < c.reasons.size(); ++i)
  {
    print_row(to_string(static_cast<Reason>(i)), c.reasons[i]);
  }
  fmt::print("  transitions\n");
  for_each_transition(c, [](const char * from, const char * to, std::int64_t count) {
    print_row(fmt::format("{} -> {}", from, to).c_str(), count);
  });
  print_row("late cycles", c.late_cycles);
  print_row("cycles at a limit", c.limited_cycles);
  fmt::print(
    "  resident memory {} kB after the first episodes, {} kB at the end\n  checksum {:016x}\n",
    result.memory.begin, result.memory.end, c.checksum);
}

int run_soak(SoakArguments & arguments)
{
  if (arguments.episode >= 0)
  {
    arguments.soak.episode = arguments.episode;
  }
  const RobotModel robot = load_robot_for(arguments.run);
  const ControllerSettings settings = load_settings_for(arguments.run);
  const soak::Pool pool = soak::make_pool(robot, settings, arguments.soak.seed);
  const bool terminal = rewrites_lines(stderr);
  const soak::Result result = soak::run(pool, arguments.soak, [&](double done, double all) {
    if (terminal)
    {
      fmt::print(stderr, "\r{:8.2f} of {:.2f} h of robot time ", done / 3600.0, all / 3600.0);
    }
  });
  if (terminal)
  {
    fmt::print(stderr, "\n");
  }
  print_result(arguments, result);
  if (!arguments.json.empty())
  {
    write_file_atomically(output_target(arguments.json), json_of(arguments, result).dump(2) + "\n");
  }
  if (!result.violation)
  {
    fmt::print("  every promise was kept\n");
    return done;
  }
  const soak::Violation & v = *result.violation;
  fmt::print(
    stderr, "{} broken promise: {} (episode {}, run {}, cycle {})\n",
    coloured(stderr, Colour::red, "fivebar:"), v.what, v.episode, v.run, v.cycle);
  fmt::print(
    stderr, "fivebar: replay with: fivebar soak --fast --seed {} --episode {}\n",
    arguments.soak.seed, v.episode);
  return internal_error;
}

}  // namespace

void add_soak(CLI::App & app, int & exit_code)
{
  auto arguments = std::make_shared<SoakArguments>();
  CLI::App * command = app.add_subcommand(
    "soak", "Play random plans with random faults in simulation, checking every cycle");
  command->footer(
    "The same seed gives the same counters and the same checksum, whatever the number of jobs.\n\n"
    "Examples:\n"
    "  fivebar soak --hours 24 --fast                   # a day of robot time, in minutes\n"
    "  fivebar soak --hours 24 --fast --seed 7 --json soak.json\n"
    "  fivebar soak --fast --seed 7 --episode 123       # one episode again\n\n"
    "Exit codes: 0 every promise was kept; 1 one was broken, episode and cycle are named; 2 bad\n"
    "usage or bad file.");
  command->add_option("--hours", arguments->soak.hours, "Robot time, in episodes of a minute [h]")
    ->type_name("H")
    ->capture_default_str()
    ->check(CLI::PositiveNumber);
  arguments->soak.fast = false;
  command->add_flag("--fast", arguments->soak.fast, "As fast as it goes, not in real time");
  command->add_option("--seed", arguments->soak.seed, "Seed of everything that is random")
    ->type_name("N")
    ->capture_default_str();
  auto * hours = command->get_option("--hours");
  command->add_option("--episode", arguments->episode, "Play only this episode")
    ->type_name("N")
    ->check(CLI::NonNegativeNumber)
    ->excludes(hours);
  arguments->soak.jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  command
    ->add_option(
      "--jobs", arguments->soak.jobs, "Episodes at the same time (default: one per core)")
    ->type_name("N")
    ->check(CLI::Range(1, 256));
  command->add_option("--robot", arguments->run.robot, robot_text)->type_name("FILE.yaml");
  command->add_option("--controller", arguments->run.controller, controller_text)
    ->type_name("FILE.yaml");
  add_output(*command, "--json", arguments->json, "Write the figures here (JSON)");
  command->callback([arguments, &exit_code] { exit_code = run_soak(*arguments); });
}

}  // namespace fivebar_control::cli
