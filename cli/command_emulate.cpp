// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>
#include <iterator>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "fivebar_control/daemon/realtime.hpp"
#include "fivebar_control/daemon/signals.hpp"
#include "fivebar_control/simulation/emulated_board.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/message.hpp"
#include "fivebar_control/support/monotonic_clock.hpp"
#include "output_file.hpp"
#include "run_arguments.hpp"
#include "shared_options.hpp"

namespace fivebar_control::cli
{
namespace
{

struct EmulateArguments
{
  RunArguments robot_and_plant;
  RealtimeOptions realtime;
  std::string link, faults, log;
  double duration = 0.0;  ///< s; 0: until interrupted
  bool lock_step = false;
  bool own_clock = false;
};

std::string log_text(const std::vector<EmulatedBoard::Event> & events)
{
  std::string text = "t,volts1,volts4,event\n";
  const std::int64_t start = events.empty() ? 0 : events.front().time_ns;
  for (const EmulatedBoard::Event & event : events)
  {
    fmt::format_to(
      std::back_inserter(text), "{:.6f},{},{},{}\n",
      static_cast<double>(event.time_ns - start) * 1e-9, event.volts[0], event.volts[1],
      event.what);
  }
  return text;
}

int run_emulate(const EmulateArguments & a)
{
  const RobotModel robot = load_robot_for(a.robot_and_plant);
  const PlantParameters plant = load_plant_for(a.robot_and_plant);
  EmulatorOptions options;
  options.link = a.link;
  options.full_scale = plant.supply_voltage;
  options.record_volts = !a.log.empty();
  options.lock_step_ns = a.lock_step ? a.robot_and_plant.period_ns() : 0;
  options.own_clock = a.own_clock;
  if (!a.faults.empty())
  {
    options.faults = load_faults(a.faults);
  }
  std::optional<AtomicFile> log;
  if (!a.log.empty())
  {
    log.emplace(output_target(a.log));
  }
  EmulatedBoard board(robot, plant, robot.parameters().home, options);
  RunRequests requests;
  const RunSignals signals(requests);
  board.open();
  fmt::print("motor board on {} ({}); interrupt to end\n", a.link, board.device());
  std::fflush(stdout);

  RealtimeReport realtime;
  lock_memory(realtime);
  enter_realtime(a.realtime, realtime);
  for (const std::string & complaint : realtime.complaints)
  {
    say("fivebar: {}\n", complaint);
  }
  const std::int64_t start = monotonic_now_ns();
  const auto end = static_cast<std::int64_t>(a.duration * 1e9);
  board.run([&] {
    return requests.interrupts.load(std::memory_order_relaxed) > 0 ||
           (a.duration > 0.0 && monotonic_now_ns() - start > end);
  });
  for (const EmulatedBoard::Event & event : board.events())
  {
    if (!event.what.empty())
    {
      fmt::print(
        "{:10.4f} s  {:<42} {:+6.2f} V {:+6.2f} V\n",
        static_cast<double>(event.time_ns - board.events().front().time_ns) * 1e-9, event.what,
        event.volts[0], event.volts[1]);
    }
  }
  const TruePeaks & truth = board.truth();
  fmt::print(
    "true motion: at most {:.2f} rad/s, {:.2f} V at the motors{}\n", truth.speed, truth.volts,
    truth.into_singularity ? ", into the singularity" : "");
  if (log)
  {
    log->write(log_text(board.events()));
    log->commit();
  }
  return done;
}

}  // namespace

void add_emulate(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<EmulateArguments>();
  CLI::App * command =
    app.add_subcommand("emulate", "Act as a motor board with a robot, behind a pseudo-terminal");
  command->footer(
    "The board runs the reference firmware (hardware/firmware) in real time and stands at the\n"
    "robot's home. docs/hardware.md explains fault scripts and --lock-step.\n\n"
    "Example:\n"
    "  fivebar emulate --link ROBOT &\n"
    "  fivebar run b.plan.csv --hardware serial:ROBOT\n\n"
    "Exit codes: 0 done or interrupted; 2 bad usage or bad file.");
  command->add_option("--link", a->link, "Name of the serial device to create (a symbolic link)")
    ->type_name("PATH")
    ->required();
  command->add_option("--robot", a->robot_and_plant.robot, robot_text)->type_name("FILE.yaml");
  command
    ->add_option(
      "--plant", a->robot_and_plant.plant,
      "How the robot differs from the model (default: not at all)")
    ->type_name("FILE.yaml");
  command->add_option("--faults", a->faults, "What goes wrong, and when (default: nothing)")
    ->type_name("SCRIPT.yaml");
  command->add_flag(
    "--lock-step", a->lock_step,
    "Let the board's time go on with the host's requests ('serial: {lock_step: true}' there)");
  command
    ->add_flag(
      "--own-clock", a->own_clock,
      "Let the board's time be its own: a busy machine makes it slower, never irregular")
    ->excludes("--lock-step");
  command
    ->add_option("--duration", a->duration, "End after this time [s] (default: when interrupted)")
    ->type_name("S")
    ->check(CLI::Range(0.0, 1e6));
  add_priority(*command, a->realtime);
  add_output(*command, "--log", a->log, "Write volts and events here (CSV)")->type_name("FILE.csv");
  command->callback([a, &exit_code] { exit_code = run_emulate(*a); });
}

}  // namespace fivebar_control::cli
