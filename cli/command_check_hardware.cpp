// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "fivebar_control/daemon/realtime.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "hardware_check.hpp"
#include "hardware_choice.hpp"
#include "output_file.hpp"
#include "run_arguments.hpp"
#include "terminal.hpp"

namespace fivebar_control::cli
{
namespace
{

struct CheckArguments
{
  std::string hardware, robot, calibration, json;
  HardwareCheckOptions check;
  RealtimeOptions realtime;
};

const char * verdict(const CheckResult & result)
{
  return result.skipped ? "skipped" : (result.passed ? "pass" : "FAIL");
}

Colour colour_of(const CheckResult & result)
{
  return result.skipped ? Colour::yellow : (result.passed ? Colour::green : Colour::red);
}

int run_check(const CheckArguments & a)
{
  RunArguments run;
  run.robot = a.robot;
  const RobotModel robot = load_robot_for(run);
  const auto period_ns = static_cast<std::int64_t>(1e9 / a.check.rate);
  const BackendChoice choice{
    a.hardware, PlantParameters{}, robot.parameters().home, period_ns, a.calibration};
  const std::unique_ptr<MotorHardware> hardware = make_hardware(robot, choice);
  RealtimeReport realtime;
  enter_realtime(a.realtime, realtime);
  const std::vector<CheckResult> results =
    check_hardware(*hardware, a.check, [](const std::string & sentence) {
      fmt::print("{}\n", sentence);
      std::fflush(stdout);
    });
  nlohmann::json json{{"schema", 1}, {"content", "hardware check"}, {"hardware", a.hardware}};
  bool passed = true;
  fmt::print("{:<36} {:<28} {:<34} {}\n", "check", "measured", "limit", "result");
  for (const CheckResult & result : results)
  {
    fmt::print(
      "{:<36} {:<28} {:<34} {}\n", result.name, result.measured, result.limit,
      coloured(stdout, colour_of(result), verdict(result)));
    json["checks"].push_back(
      {{"name", result.name},
       {"measured", result.measured},
       {"limit", result.limit},
       {"result", verdict(result)}});
    passed = passed && (result.passed || result.skipped);
  }
  const bool complete = std::none_of(
    results.begin(), results.end(), [](const CheckResult & result) { return result.skipped; });
  fmt::print(
    "{}\n",
    passed ? (complete ? coloured(stdout, Colour::green, "PASS")
                       : coloured(stdout, Colour::yellow, "PASS, but not everything was checked"))
           : coloured(stdout, Colour::red, "FAIL"));
  json["passed"] = passed;
  if (!a.json.empty())
  {
    write_file_atomically(output_target(a.json), json.dump(2) + "\n");
  }
  return passed ? done : hardware_fault;
}

}  // namespace

void add_check_hardware(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<CheckArguments>();
  CLI::App * command = app.add_subcommand(
    "check-hardware", "Test motors, encoders and their connection: pass or fail");
  command->footer(
    "Measures round trips and jitter, reads the encoders while you turn the links, pulses each\n"
    "motor, and lets the device's watchdog trip. Keep a hand on the emergency stop.\n\n"
    "Example:\n"
    "  fivebar check-hardware --hardware serial:/dev/ttyACM0\n\n"
    "Exit codes: 0 passed; 2 bad usage or bad file; 4 failed.");
  command->add_option("--hardware", a->hardware, "Motors and encoders to use")
    ->type_name(hardware_choices())
    ->required();
  command->add_option("--robot", a->robot, robot_text)->type_name("FILE.yaml");
  command
    ->add_option(
      "--calibration", a->calibration,
      "Counts, signs, gains, homing (default: hardware/KIND.yaml of config/)")
    ->type_name("FILE.yaml");
  command->add_option("--rate", a->check.rate, "Cycles per second [Hz]")
    ->type_name("HZ")
    ->capture_default_str()
    ->check(CLI::Range(50.0, 20000.0));
  command->add_option("--time", a->check.communication_time, "Length of the communication test [s]")
    ->type_name("S")
    ->capture_default_str()
    ->check(CLI::Range(0.1, 3600.0));
  command->add_option("--turn-time", a->check.turn_time, "Time for turning by hand [s]; 0 skips it")
    ->type_name("S")
    ->capture_default_str()
    ->check(CLI::Range(0.0, 600.0));
  command
    ->add_option(
      "--pulse", a->check.pulse_voltage, "Voltage of the motor pulses [V]; 0 drives nothing")
    ->type_name("V")
    ->capture_default_str()
    ->check(CLI::Range(0.0, 3.0));
  command->add_option("--priority", a->realtime.priority, "SCHED_FIFO priority; 0 is none")
    ->type_name("P")
    ->capture_default_str()
    ->check(CLI::Range(0, 99));
  add_output(*command, "--json", a->json, "Write the results here (JSON)");
  command->callback([a, &exit_code] { exit_code = run_check(*a); });
}

}  // namespace fivebar_control::cli
