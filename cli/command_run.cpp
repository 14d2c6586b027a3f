// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "board_run.hpp"
#include "commands.hpp"
#include "commissioned.hpp"
#include "file_kind.hpp"
#include "fivebar_control/daemon/board_program.hpp"
#include "fivebar_control/daemon/last_resort.hpp"
#include "fivebar_control/daemon/loop_thread.hpp"
#include "fivebar_control/daemon/play.hpp"
#include "fivebar_control/daemon/realtime.hpp"
#include "fivebar_control/daemon/signals.hpp"
#include "fivebar_control/daemon/truth.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/runs/run_log.hpp"
#include "fivebar_control/simulation/simulated_robot.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/message.hpp"
#include "fivebar_control/support/signal_sets.hpp"
#include "hardware_choice.hpp"
#include "learning_runs.hpp"
#include "live_view.hpp"
#include "loop_in_thread.hpp"
#include "output_file.hpp"
#include "run_arguments.hpp"
#include "run_conclusion.hpp"
#include "run_report.hpp"
#include "shared_options.hpp"
#include "terminal.hpp"

namespace fivebar_control::cli
{
namespace
{

struct RunCommandArguments
{
  RunArguments run;
  RealtimeOptions realtime;
  WebOptions web;
  std::string plan, hardware = "sim", calibration, mode = "feedforward+pd", log, json;
  std::string player = "host";
  bool fast = false;
  bool align = false;
  std::string stamp;
  bool uncommissioned = false;
  bool homed = false;
  int learn = 0;  // updates
  std::string learn_prefix;
  SessionOptions learn_options;
  bool trust_model = false;
};

/// Also of files that are not there yet.
bool is_same_file(const std::string & a, const std::string & b)
{
  std::error_code error;
  const auto real = [&error](const std::string & path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  return a == b || (real(a) == real(b) && !error) || std::filesystem::equivalent(a, b, error);
}

/// Combinations that would hurt, refused before anything is touched.
void require_sense(const RunCommandArguments & a, const RobotModel & robot, bool simulated)
{
  if (a.fast && !simulated)
  {
    throw InputError("--fast: only simulated hardware can run faster than time");
  }
  if (a.fast && a.web.wanted)
  {
    throw InputError("--web: with --fast the run is over before a page opens");
  }
  if (!simulated && a.run.voltage_limit > 0.0)
  {
    RunArguments plain = a.run;
    plain.voltage_limit = 0.0;
    const double limit = load_robot_for(plain).limits().voltage;
    if (robot.limits().voltage > limit)
    {
      throw InputError(fmt::format(
        "--voltage-limit: {} V is above the robot's limit of {} V; on real motors it may only be "
        "lowered",
        robot.limits().voltage, limit));
    }
  }
  if (a.player == "board" && a.learn > 0)
  {
    throw InputError("--play: --learn plays every run from the host");
  }
  for (const auto & [option, path] : {std::pair("--log", a.log), std::pair("--json", a.json)})
  {
    std::error_code error;
    if (!path.empty() && std::filesystem::equivalent(path, a.plan, error))
    {
      throw InputError(fmt::format("{}: {} is the plan itself", option, path));
    }
  }
  if (!a.log.empty() && !a.json.empty() && is_same_file(a.log, a.json))
  {
    throw InputError(fmt::format("--json: {} is already the log", a.json));
  }
}

/// What the run itself is not told: hardware, timing and truth after it.
void complete(
  RunReport & report, const MotorHardware & hardware, const Pacer & pacer, TruthWatcher & truth)
{
  if (report.outcome.end != RunEnd::finished)
  {
    truth.follow_to_rest();
  }
  if (truth.peaks() != nullptr)
  {
    report.truth = *truth.peaks();
  }
  report.explanation += report.explanation.empty() ? hardware.explanation() : "";
  if (const LinkStatistics * link = hardware.statistics())
  {
    report.link = *link;
  }
  report.timing = pacer.timing();
  if (const auto * simulated = dynamic_cast<const SimulatedRobot *>(&hardware))
  {
    report.loop_error = simulated->engine().largest_loop_error();
  }
}

/// The options of a run as those of a session of several.
LearningRuns learning_runs(const RunCommandArguments & a)
{
  if (!a.log.empty() || a.web.wanted || a.mode != "feedforward+pd")
  {
    throw InputError(
      "--learn: expected neither --log (every run has its own), nor --web, nor another --mode");
  }
  LearningRuns runs;
  runs.run = a.run;
  runs.realtime = a.realtime;
  runs.plan = a.plan;
  runs.hardware = a.hardware;
  runs.calibration = a.calibration;
  runs.json = a.json;
  runs.prefix = a.learn_prefix.empty()
                  ? std::filesystem::path(a.plan).replace_extension("learn").string()
                  : a.learn_prefix;
  runs.fast = a.fast;
  runs.align = a.align;
  runs.homed = a.homed;
  runs.session = a.learn_options;
  runs.session.updates = a.learn;
  runs.session.check_model = !a.trust_model;
  return runs;
}

/// What a run is about, read and checked.
struct Subject
{
  RobotModel robot;
  ControllerSettings settings;
  PlantParameters plant;
  Plan plan;
  PlayablePlan playable;
};

Subject load_subject(const RunCommandArguments & a)
{
  const RobotModel robot = load_robot_for(a.run);
  const ControllerSettings settings = load_settings_for(a.run);
  const PlantParameters plant = load_plant_for(a.run);
  const Plan plan = load_plan_to_play(a.plan);
  require_plan_can_be_played(plan, robot, settings, a.plan);
  if (a.player == "board")
  {
    const std::string why = why_not_on_board(settings, *control_mode_named(a.mode), plan.samples);
    if (!why.empty())
    {
      throw InputError(fmt::format("--play board: {}; say --play host", why));
    }
  }
  return {robot, settings, plant, plan, PlayablePlan(plan.samples)};
}

std::unique_ptr<RunLog> open_log(
  const RunCommandArguments & a, const Subject & s, const MotorHardware & hardware,
  ControlMode mode)
{
  if (a.log.empty())
  {
    return nullptr;
  }
  return std::make_unique<RunLog>(
    output_target(a.log),
    describe_run(
      s.plan, s.robot, s.settings, hardware.description(), mode, a.run.rate,
      hardware.true_point().has_value()),
    s.robot, a.fast);
}

/// What is known before the run.
RunReport begin_report(
  const RunCommandArguments & a, const Subject & s, const MotorHardware & hardware,
  const Commissioning & commissioning)
{
  RunReport report;
  report.plan = a.plan;
  report.curve = s.plan.curve_name;
  report.mode = a.mode;
  report.hardware = hardware.description();
  report.rate = a.run.rate;
  report.guard = s.settings.guard;
  report.files =
    announce_files(a.run, calibration_file(a.hardware, a.calibration), s.settings.guard);
  report.paced = !a.fast;
  report.commissioning = commissioning;
  return report;
}

int play(
  const RunCommandArguments & a, const Subject & s, MotorHardware & hardware,
  const Commissioning & commissioning)
{
  // Both files are opened before the motors: a run whose result cannot be kept does not begin.
  std::optional<AtomicFile> json_file;
  if (!a.json.empty())
  {
    json_file.emplace(output_target(a.json));
  }
  const ControlMode mode = *control_mode_named(a.mode);
  const std::unique_ptr<RunLog> log = open_log(a, s, hardware, mode);
  const std::int64_t period_ns = a.run.period_ns();
  ControlCore controller(s.robot, s.settings, mode, period_ns);
  const auto gains =
    loop_gains_for(s.robot, s.settings, s.playable, static_cast<double>(period_ns) * 1e-9);
  controller.set_plan(&s.playable, gains ? &*gains : nullptr);
  const auto pacer = std::make_unique<Pacer>(period_ns, !a.fast);
  RunRequests requests;
  RunStatus status;
  const RunSignals signals(requests);
  LiveView live(a.web, s.robot, s.plan, requests, status, log.get());
  TrackingScorer scorer(
    s.robot, live.sink() != nullptr ? live.sink() : log.get(), hardware.encoder().resolution());
  TruthWatcher truth(s.robot, hardware, scorer);
  RunReport report = begin_report(a, s, hardware, commissioning);
  live.wait_for_page();
  if (a.player == "board")
  {
    run_on_board(
      {s.robot, s.settings, s.plan, s.playable, mode, period_ns, a.align, a.fast, a.realtime},
      hardware, truth, requests, status, report);
  }
  else
  {
    report.outcome = run_in_thread(
      controller, hardware, *pacer, truth, requests, status, {period_ns, a.align}, a.realtime,
      report.realtime);
  }
  report.score = scorer.score();
  complete(report, hardware, *pacer, truth);
  // Files before pages: a page that does not read must not keep the result.
  if (log)
  {
    finish_log(*log, a.log, report);
  }
  const std::string json_failure = json_file ? write_json(*json_file, report) : "";
  const int code = tell(report, json_failure, signals.first());
  live.finish(to_string(report.outcome.end));
  if (signals.first() == SIGTSTP)
  {
    raise(SIGSTOP);  // now that nothing moves any more
  }
  return code;
}

int run_run(const RunCommandArguments & a)
{
  const LastResort last_resort;
  const AlternateStack stack;
  const Subject subject = load_subject(a);
  std::unique_ptr<MotorHardware> hardware = make_hardware(
    subject.robot, {a.hardware,
                    subject.plant,
                    subject.playable.start(),
                    a.run.period_ns(),
                    a.calibration,
                    {default_state_folder(), a.homed}});
  require_sense(a, subject.robot, hardware->clock() == HardwareClock::simulated);
  const Commissioning commissioning =
    commissioning_of(a.hardware, a.calibration, a.stamp, subject.robot, a.uncommissioned);
  if (!commissioning.may_drive)
  {
    return stopped_by_guard;
  }
  if (a.learn > 0)
  {
    hardware.reset();  // every run has its own
    return run_learning(learning_runs(a));
  }
  return play(a, subject, *hardware, commissioning);
}

void add_learn_options(CLI::App & command, RunCommandArguments & a)
{
  command
    .add_option(
      "--learn", a.learn, "Play, learn and repeat: at most so many updates of the feedforward")
    ->type_name("N")
    ->check(CLI::Range(1, 100));
  command
    .add_option(
      "--learn-out", a.learn_prefix,
      "Beginning of the names of all plans and logs of --learn (default: PLAN.learn)")
    ->type_name("PREFIX")
    ->needs("--learn");
  command
    .add_option(
      "--learn-again", a.learn_options.repeats,
      "How often the plan is played again before learning: what differs cannot be gained")
    ->type_name("N")
    ->capture_default_str()
    ->check(CLI::Range(0, 10))
    ->needs("--learn");
  command
    .add_flag(
      "--trust-model", a.trust_model,
      "Learn although the robot swings in a way that its model does not know")
    ->needs("--learn");
}

}  // namespace

void add_run(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<RunCommandArguments>();
  CLI::App * command =
    app.add_subcommand("run", "Play a plan on the robot, real or simulated, in real time");
  command->footer(
    "Interrupting (SIGINT, SIGTERM, SIGHUP) stops smoothly, holds and relaxes; a second time it\n"
    "is zero volts at once, as SIGQUIT is. SIGTSTP stops the robot before the program. On\n"
    "simulated hardware the simulated time is the controller's time: --fast gives the same log to\n"
    "the last bit.\n\n"
    "Example:\n"
    "  fivebar run b.plan.csv --plant config/plants/mismatched.yaml --mode pd --log b.log.csv\n"
    "  fivebar run b.plan.csv --plant config/plants/mismatched.yaml --fast --learn 3\n\n"
    "Exit codes: 0 done; 2 bad usage or bad file; 4 hardware fault; 5 stopped by the guard or\n"
    "not started; 130 interrupted (128 + signal).");
  command->add_option("PLAN.csv", a->plan, "Plan, as 'fivebar plan' writes it")->required();
  command->add_option("--hardware", a->hardware, "Motors and encoders to use")
    ->type_name(hardware_choices())
    ->capture_default_str();
  add_calibration(*command, a->calibration);
  command->add_option("--mode", a->mode, "What drives the motors")
    ->type_name("MODE")
    ->capture_default_str()
    ->check(CLI::IsMember({"feedforward+pd", "pd", "feedforward"}));
  command
    ->add_option(
      "--play", a->player,
      "Who closes the loop: this program in every cycle, or a motor board by itself, which needs\n"
      "no real-time machine (serial boards of protocol 1.2)")
    ->type_name("WHO")
    ->capture_default_str()
    ->check(CLI::IsMember({"host", "board"}));
  add_run_options(*command, a->run);
  command->add_flag(
    "--align", a->align, "Move to the plan's start first if the robot is not there");
  add_stamp_options(*command, a->stamp, a->uncommissioned);
  command->add_flag(
    "--homed", a->homed,
    "Real motors with a known pose: the links stand (or stood when powered up) where it says");
  command->add_flag("--fast", a->fast, "Simulated hardware only: do not wait for the clock");
  add_priority(*command, a->realtime);
  command->add_option("--cpu", a->realtime.cpu, "Core that the loop stays on (default: any)")
    ->type_name("N")
    ->check(CLI::Range(0, CPU_SETSIZE - 1));
  add_output(*command, "--log", a->log, "Write every cycle here (CSV)")->type_name("FILE.csv");
  add_output(*command, "--json", a->json, "Write figures and timing here (JSON)");
  add_learn_options(*command, *a);
  add_web_options(*command, a->web);
  command->callback([a, &exit_code] { exit_code = run_run(*a); });
}

}  // namespace fivebar_control::cli
