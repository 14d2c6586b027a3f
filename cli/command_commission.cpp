// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>

#include "bench_hardware.hpp"
#include "commands.hpp"
#include "commission_record.hpp"
#include "console_person.hpp"
#include "fivebar_control/commission/procedure.hpp"
#include "fivebar_control/commission/rehearsal.hpp"
#include "fivebar_control/commission/stamp.hpp"
#include "fivebar_control/daemon/last_resort.hpp"
#include "fivebar_control/daemon/realtime.hpp"
#include "fivebar_control/daemon/signals.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"
#include "hardware_choice.hpp"
#include "output_file.hpp"
#include "run_arguments.hpp"
#include "shared_options.hpp"
#include "step_table.hpp"
#include "terminal.hpp"

namespace fivebar_control::cli
{
namespace
{

using commission::Record;
using commission::Step;
using commission::StepEnd;
using commission::StepResult;

struct CommissionArguments : BenchArguments
{
  std::string answers, progress, step, from;
  bool yes = false, restart = false, list = false;
};

int list_steps()
{
  for (const Step & step : commission::steps())
  {
    fmt::print("{:<16} {}\n{}\n", step.name, step.title, wrapped(step.explanation, 17));
  }
  return done;
}

void require_sense(const CommissionArguments & a)
{
  for (const auto & [option, name] : {std::pair("--step", a.step), std::pair("--from", a.from)})
  {
    if (!name.empty() && commission::find_step(name) == nullptr)
    {
      std::string known;
      for (const Step & step : commission::steps())
      {
        known += (known.empty() ? "" : ", ") + std::string(step.name);
      }
      throw InputError(fmt::format("{}: no step '{}', expected one of: {}", option, name, known));
    }
  }
  if (!a.step.empty() && !a.from.empty())
  {
    throw InputError("--from: give either --step or --from");
  }
  if (!a.plant.empty() && a.hardware != "sim")
  {
    throw InputError("--plant: only the rehearsal on --hardware sim has a plant");
  }
}

void choose_files(CommissionArguments & a)
{
  a.stamp = a.stamp.empty() ? commission::default_stamp(a.hardware) : a.stamp;
  a.progress = a.progress.empty() ? commission::default_progress(a.hardware) : a.progress;
}

commission::Subject asked_subject(
  const CommissionArguments & a, const RobotModel & robot, const Calibration & calibration)
{
  commission::Subject subject = commission::subject_of(a.hardware, robot, calibration);
  subject.board = commission::ask_board(a.hardware, calibration);
  return subject;
}

/// It holds again when the steps have passed again.
void remove_stamp(const std::string & path)
{
  std::error_code error;
  std::filesystem::remove(path, error);
}

void introduce(const CommissionArguments & a, const MotorHardware & hardware)
{
  print_line(fmt::format(
    "Commissioning {} on {}", a.robot.empty() ? "the robot" : a.robot, hardware.description()));
  print_line(wrapped(
    fmt::format(
      "Clear the space around the robot and keep a hand on the emergency stop. No motor gets more "
      "than {:.2f} V; every motion is open loop, short, and ends with zero volts at once if a "
      "joint "
      "turns by more than {:.2f} rad or faster than {:.1f} rad/s. Ctrl-C is zero volts at any "
      "time, "
      "and what was done is kept.",
      a.settings.limits.volts, a.settings.limits.excursion, a.settings.limits.speed),
    0));
}

void open(MotorHardware & hardware)
{
  if (const HardwareError error = hardware.open(); error != HardwareError::none)
  {
    throw HardwareFailure(
      fmt::format("{}: {} {}", hardware.description(), to_string(error), hardware.explanation()));
  }
}

/// Does the steps until one fails; returns how the last one ended.
StepEnd run_steps(
  const CommissionArguments & a, commission::Bench & bench,
  const std::vector<const Step *> & chosen, Record & record)
{
  StepEnd worst = StepEnd::passed;
  for (std::size_t i = 0; i < chosen.size(); ++i)
  {
    const Step & step = *chosen[i];
    if (worst == StepEnd::failed && !step.despite_failure)
    {
      break;
    }
    print_line(fmt::format("\n{} ({} of {}): {}", step.name, i + 1, chosen.size(), step.title));
    print_line(wrapped(step.explanation, 2));
    const StepResult result = run_step(bench, step);
    print_step(result);
    if (result.end == StepEnd::interrupted)
    {
      return StepEnd::interrupted;
    }
    worst = result.end == StepEnd::failed ? StepEnd::failed : worst;
    record.put(result);
    record.date = now_text();
    save(a.progress, record);
  }
  return worst;
}

int conclude(
  const CommissionArguments & a, const Record & record, StepEnd worst, int signal,
  const ConsolePerson & person)
{
  if (worst == StepEnd::interrupted)
  {
    print_line("Interrupted: the motors have zero volts. Call again to go on from here.");
    if (signal == 0)
    {
      throw InputError(person.unanswered());
    }
    return 128 + signal;
  }
  if (worst == StepEnd::failed)
  {
    print_line(
      coloured(stdout, Colour::red, "FAIL") +
      ": correct what is named above and call again; steps that passed are not repeated.");
    return hardware_fault;
  }
  if (!record.is_complete())
  {
    print_line(
      coloured(stdout, Colour::yellow, "PASS") +
      ", but other steps are still to be done: no stamp yet. Call again without --step.");
    return done;
  }
  save(a.stamp, record);
  print_line(
    coloured(stdout, Colour::green, "PASS") + ": every step is done." +
    (a.stamp.empty() ? " A rehearsal leaves no stamp." : " Stamp: " + a.stamp));
  return done;
}

int commission_with(
  const CommissionArguments & a, const RobotModel & robot, BenchHardware & bench_hardware,
  const std::vector<const Step *> & chosen, Record record)
{
  MotorHardware & hardware = *bench_hardware.hardware;
  const bool real = bench_hardware.rehearsal == nullptr;
  const auto answers =
    a.answers.empty() ? std::map<std::string, std::string>{} : load_answers(a.answers);
  RunRequests requests;
  const RunSignals signals(requests);
  open(hardware);
  remove_stamp(a.stamp);
  std::optional<commission::SimulatedPerson> simulated;
  if (!real)
  {
    simulated.emplace(*bench_hardware.rehearsal);
  }
  const auto interrupted = [&requests] {
    return requests.interrupts.load(std::memory_order_relaxed) > 0;
  };
  ConsolePerson person(answers, a.yes, simulated ? &*simulated : nullptr, interrupted);
  commission::Bench bench =
    make_bench(hardware, robot, bench_hardware.calibration, a.settings, person, interrupted);
  introduce(a, hardware);
  RealtimeReport realtime;
  if (real)
  {
    enter_realtime(a.realtime, realtime);
  }
  const StepEnd worst = run_steps(a, bench, chosen, record);
  hardware.disarm();
  hardware.close();
  if (!a.json.empty())
  {
    write_file_atomically(output_target(a.json), commission::to_text(record));
  }
  return conclude(a, record, worst, signals.first(), person);
}

int run_commission(CommissionArguments a)
{
  if (a.list)
  {
    return list_steps();
  }
  require_sense(a);
  const LastResort last_resort;
  const AlternateStack stack;
  RunArguments run;
  run.robot = a.robot;
  run.plant = a.plant;
  const RobotModel robot = load_robot_for(run);
  a.settings.limits.volts = std::min(a.settings.limits.volts, robot.limits().voltage);
  BenchHardware bench_hardware =
    make_bench_hardware(a.hardware, a.calibration, load_plant_for(run), robot, a.settings.rate);
  if (bench_hardware.rehearsal == nullptr)
  {
    choose_files(a);
  }
  const commission::Subject subject = asked_subject(a, robot, bench_hardware.calibration);
  Record record = earlier_record(a.restart ? "" : a.progress, subject);
  record.rate = a.settings.rate;
  record.voltage = a.settings.limits.volts;
  const std::vector<const Step *> chosen = chosen_steps(a.step, a.from, record);
  if (chosen.empty())
  {
    save(a.stamp, record);
    print_line(fmt::format("All steps were done by {}. --restart does them again.", record.date));
    return done;
  }
  return commission_with(a, robot, bench_hardware, chosen, std::move(record));
}

void add_options(CLI::App & command, CommissionArguments & a)
{
  add_bench_options(command, a, "Stamp to write");
  command.add_option("--step", a.step, "Do this step alone")->type_name("NAME");
  command.add_option("--from", a.from, "Do this step and all that follow")->type_name("NAME");
  command.add_flag("--list", a.list, "Print the steps and end");
  command.add_flag("--restart", a.restart, "Forget what earlier calls have done");
  command.add_flag("--yes", a.yes, "Confirm without asking; what was seen is still asked");
  command.add_option("--answers", a.answers, "Answers by the key of their question")
    ->type_name("FILE.yaml");
  command.add_option("--voltage", a.settings.limits.volts, "Largest voltage of any motion [V]")
    ->type_name("V")
    ->capture_default_str()
    ->check(CLI::Range(0.3, 3.0));
  command.add_option("--progress", a.progress, "What is done so far (default: beside the stamp)")
    ->type_name("FILE.json");
}

}  // namespace

void add_commission(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<CommissionArguments>();
  CLI::App * command = app.add_subcommand(
    "commission", "The first hour with a robot: step by step, at low voltage, with a person");
  command->footer(
    "Connection, home pose, emergency stop, watchdog; for each joint which motor and encoder it\n"
    "is and which way they go, dead band, counts per turn, friction and delay against the model;\n"
    "end stops. Each step is explained and can be repeated; Ctrl-C is zero volts, and the next\n"
    "call goes on from there. At the end a stamp is written, which 'fivebar run' on real motors\n"
    "demands. The folder is $FIVEBAR_STATE_DIR, or fivebar/ in $XDG_STATE_HOME or\n"
    "~/.local/state.\n\n"
    "Examples:\n"
    "  fivebar commission --hardware sim                          # rehearsal, nobody needed\n"
    "  fivebar commission --hardware serial:/dev/fivebar\n"
    "  fivebar commission --hardware serial:/dev/fivebar --step direction_1\n\n"
    "Exit codes: 0 passed; 2 bad usage, bad file or nobody answers; 4 failed; 130 interrupted\n"
    "(128 + signal).");
  add_options(*command, *a);
  command->callback([a, &exit_code] {
    if (a->hardware.empty() && !a->list)
    {
      throw InputError("--hardware is required (or --list)");
    }
    exit_code = run_commission(*a);
  });
}

}  // namespace fivebar_control::cli
