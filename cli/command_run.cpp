// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "commands.hpp"
#include "commissioned.hpp"
#include "fivebar_control/daemon/play.hpp"
#include "fivebar_control/daemon/realtime.hpp"
#include "fivebar_control/daemon/signals.hpp"
#include "fivebar_control/daemon/truth.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/runs/run_log.hpp"
#include "fivebar_control/simulation/simulated_robot.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "hardware_choice.hpp"
#include "live_view.hpp"
#include "output_file.hpp"
#include "run_arguments.hpp"
#include "run_report.hpp"
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
  bool fast = false;
  bool align = false;
  std::string stamp;
  bool uncommissioned = false;
};

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
  for (const auto & [option, path] : {std::pair("--log", a.log), std::pair("--json", a.json)})
  {
    std::error_code error;
    if (!path.empty() && std::filesystem::equivalent(path, a.plan, error))
    {
      throw InputError(fmt::format("{}: {} is the plan itself", option, path));
    }
  }
  if (!a.log.empty() && a.log == a.json)
  {
    throw InputError(fmt::format("--json: {} is already the log", a.json));
  }
}

/// One line on a terminal, rewritten ten times a second until the run is over.
void show_status(const RunStatus & status)
{
  const bool terminal = rewrites_lines(stderr);
  int turn = 0;
  while (!status.finished.load(std::memory_order_acquire))
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (terminal && ++turn % 10 == 0)
    {
      fmt::print(
        stderr, "\r{:<9} t = {:8.2f} s   error {:7.4f} rad   {:+6.2f} V {:+6.2f} V   late {} ",
        to_string(status.state.load()), status.time.load(), status.error.load(),
        status.volts[0].load(), status.volts[1].load(), status.late_cycles.load());
      std::fflush(stderr);
    }
  }
  if (terminal && turn >= 10)
  {
    fmt::print(stderr, "\r{:<90}\r", "");
  }
}

/// The loop in a thread of its own, so that only the loop has real-time priority.
RunOutcome run_in_thread(
  const RunCommandArguments & a, ControlCore & controller, MotorHardware & hardware, Pacer & pacer,
  RecordSink & sink, const RunRequests & requests, RunStatus & status, RealtimeReport & realtime)
{
  RunOutcome outcome;
  std::atomic<bool> prepared{false};
  std::thread loop([&] {
    // Signals go to the main thread.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    if (!a.fast)
    {
      lock_memory(realtime);
      enter_realtime(a.realtime, realtime);
    }
    prepared.store(true, std::memory_order_release);
    outcome =
      run_loop(controller, hardware, pacer, sink, requests, status, {a.run.period_ns(), a.align});
  });
  while (!prepared.load(std::memory_order_acquire))
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (const std::string & complaint : realtime.complaints)
  {
    fmt::print(stderr, "fivebar: {}\n", complaint);
  }
  show_status(status);
  loop.join();
  return outcome;
}

int exit_code_of(RunEnd end, int signal)
{
  switch (end)
  {
    case RunEnd::finished:
      return done;
    case RunEnd::stopped:
    case RunEnd::aborted:
      // As shells expect it: a script must not go on to its next motion. A stop from the live page
      // counts as SIGINT.
      return 128 + (signal == 0 ? SIGINT : signal);
    case RunEnd::refused:
    case RunEnd::fault:
      return stopped_by_guard;
    case RunEnd::hardware_fault:
    case RunEnd::deactivated:
      return hardware_fault;
  }
  return internal_error;
}

int run_run(const RunCommandArguments & a)
{
  const RobotModel robot = load_robot_for(a.run);
  const ControllerSettings settings = load_settings_for(a.run);
  const PlantParameters plant = load_plant_for(a.run);
  const Plan plan = load_plan(a.plan);
  require_plan_fits(plan, robot, a.plan);
  const PlayablePlan playable(plan.samples);
  const std::int64_t period_ns = a.run.period_ns();
  const std::unique_ptr<MotorHardware> hardware =
    make_hardware(robot, {a.hardware, plant, playable.start(), period_ns, a.calibration});
  require_sense(a, robot, hardware->clock() == HardwareClock::simulated);
  const Commissioning commissioning =
    commissioning_of(a.hardware, a.calibration, a.stamp, robot, a.uncommissioned);
  if (!commissioning.may_drive)
  {
    return stopped_by_guard;
  }

  // Both files are opened before the motors: a run whose result cannot be kept does not begin.
  std::optional<AtomicFile> json_file;
  if (!a.json.empty())
  {
    json_file.emplace(output_target(a.json));
  }
  const ControlMode mode = *control_mode_named(a.mode);
  std::unique_ptr<RunLog> log;
  if (!a.log.empty())
  {
    log = std::make_unique<RunLog>(
      output_target(a.log),
      describe_run(plan, robot, settings, hardware->description(), mode, a.run.rate), robot,
      a.fast);
  }
  ControlCore controller(robot, settings, mode, period_ns);
  controller.set_plan(&playable);
  const auto pacer = std::make_unique<Pacer>(period_ns, !a.fast);
  RunRequests requests;
  RunStatus status;
  LiveView live(a.web, robot, plan, requests, status, log.get());
  TrackingScorer scorer(robot, live.sink() != nullptr ? live.sink() : log.get());
  TruthWatcher truth(robot, *hardware, scorer);

  RunReport report;
  report.plan = a.plan;
  report.curve = plan.curve_name;
  report.mode = a.mode;
  report.hardware = hardware->description();
  report.rate = a.run.rate;
  report.paced = !a.fast;
  report.commissioning = commissioning;
  const RunSignals signals(requests);
  live.wait_for_page();
  report.outcome =
    run_in_thread(a, controller, *hardware, *pacer, truth, requests, status, report.realtime);
  live.finish(to_string(report.outcome.end));
  report.score = scorer.score();
  report.explanation = hardware->explanation();
  if (const LinkStatistics * link = hardware->statistics())
  {
    report.link = *link;
  }
  report.timing = pacer->timing();
  if (report.outcome.end != RunEnd::finished)
  {
    truth.follow_to_rest();
  }
  if (truth.peaks() != nullptr)
  {
    report.truth = *truth.peaks();
  }
  if (const auto * simulated = dynamic_cast<const SimulatedRobot *>(hardware.get()))
  {
    report.loop_error = simulated->engine().largest_loop_error();
  }
  if (log)
  {
    log->finish(report.outcome.end, report.outcome.finding.reason);
    report.log = a.log;
    report.log_rows = log->rows();
    report.lost_rows = log->lost();
  }
  if (json_file)
  {
    json_file->write(to_json(report).dump(2) + "\n");
    json_file->commit();
  }
  const int code = exit_code_of(report.outcome.end, signals.first());
  if (code == done)
  {
    fmt::print("{}", summary(report));
  }
  else
  {
    fmt::print(stderr, "{} {}", coloured(stderr, Colour::red, "fivebar:"), summary(report));
  }
  return code;
}

}  // namespace

void add_run(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<RunCommandArguments>();
  CLI::App * command =
    app.add_subcommand("run", "Play a plan on the robot, real or simulated, in real time");
  command->footer(
    "Interrupting (SIGINT, SIGTERM, SIGHUP) stops smoothly, holds and relaxes; a second time it\n"
    "is zero volts at once. On simulated hardware the simulated time is the controller's time:\n"
    "--fast gives the same log to the last bit.\n\n"
    "Example:\n"
    "  fivebar run b.plan.csv --plant config/plants/wrong.yaml --mode pd --log b.log.csv\n\n"
    "Exit codes: 0 done; 2 bad usage or bad file; 4 hardware fault; 5 stopped by the guard or\n"
    "not started; 130 interrupted (128 + signal).");
  command->add_option("PLAN.csv", a->plan, "Plan, as 'fivebar plan' writes it")->required();
  command->add_option("--hardware", a->hardware, "Motors and encoders to use")
    ->type_name(hardware_choices())
    ->capture_default_str();
  command
    ->add_option(
      "--calibration", a->calibration,
      "Counts, signs, gains, homing of real motors (default: hardware/KIND.yaml of config/)")
    ->type_name("FILE.yaml");
  command->add_option("--mode", a->mode, "What drives the motors")
    ->type_name("MODE")
    ->capture_default_str()
    ->check(CLI::IsMember({"feedforward+pd", "pd", "feedforward"}));
  add_run_options(*command, a->run);
  command->add_flag(
    "--align", a->align, "Move to the plan's start first if the robot is not there");
  add_stamp_options(*command, a->stamp, a->uncommissioned);
  command->add_flag("--fast", a->fast, "Simulated hardware only: do not wait for the clock");
  command->add_option("--priority", a->realtime.priority, "SCHED_FIFO priority; 0 is none")
    ->type_name("P")
    ->capture_default_str()
    ->check(CLI::Range(0, 99));
  command->add_option("--cpu", a->realtime.cpu, "Core that the loop stays on (default: any)")
    ->type_name("N")
    ->check(CLI::Range(0, CPU_SETSIZE - 1));
  add_output(*command, "--log", a->log, "Write every cycle here (CSV)")->type_name("FILE.csv");
  add_output(*command, "--json", a->json, "Write figures and timing here (JSON)");
  add_web_options(*command, a->web);
  command->callback([a, &exit_code] { exit_code = run_run(*a); });
}

}  // namespace fivebar_control::cli
