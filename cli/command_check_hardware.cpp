// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench_hardware.hpp"
#include "commands.hpp"
#include "fivebar_control/commission/procedure.hpp"
#include "fivebar_control/commission/rehearsal.hpp"
#include "fivebar_control/commission/stamp.hpp"
#include "fivebar_control/daemon/last_resort.hpp"
#include "fivebar_control/daemon/realtime.hpp"
#include "fivebar_control/daemon/signals.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/config_location.hpp"
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

using commission::StepEnd;
using commission::StepResult;

struct CheckArguments : BenchArguments
{
  CheckArguments() { settings.person_time = 15.0; }

  double pulse = 1.5;
};

/// Says what to do; nobody is asked anything.
class Listener : public commission::Person
{
public:
  explicit Listener(commission::Person * other) : other_(other) {}
  void tell(const std::string & key, const std::string & text) override
  {
    print_line(text);
    if (other_ != nullptr)
    {
      other_->tell(key, text);
    }
  }
  std::string ask(const commission::Question &) override { return ""; }

private:
  commission::Person * other_;
};

StepResult opening(MotorHardware & hardware)
{
  StepResult result;
  result.name = "opening";
  const HardwareError error = hardware.open();
  const std::string why = hardware.explanation();
  result.add(
    {"opening " + hardware.description(),
     error == HardwareError::none || why.empty() ? to_string(error)
                                                 : fmt::format("{} ({})", to_string(error), why),
     "none", error == HardwareError::none});
  return result;
}

/// Which way the links really turn is seen by people only: now, or when the robot was commissioned.
StepResult seen_before(
  const CheckArguments & a, const RobotModel & robot, const Calibration & calibration)
{
  StepResult result;
  result.name = "seen";
  const std::string stamp = a.stamp.empty() ? commission::default_stamp(a.hardware) : a.stamp;
  const std::string objection =
    commission::objection(stamp, commission::subject_of(a.hardware, robot, calibration));
  result.add(
    {"which way the links turn", objection.empty() ? "seen at the commissioning" : "seen by nobody",
     "seen by someone", objection.empty()});
  if (!objection.empty())
  {
    result.fail(
      "A mirrored joint or exchanged pairs of motor and encoder look right from inside. Let "
      "someone "
      "turn the links (--turn-time), or commission the robot ('fivebar commission'): " +
      objection + ".");
  }
  return result;
}

StepResult skipped(const std::string & name, const std::string & what)
{
  StepResult result;
  result.name = name;
  result.end = StepEnd::skipped;
  result.add({what, "", "", false, true});
  return result;
}

std::vector<StepResult> check(
  const CheckArguments & a, const RobotModel & robot, BenchHardware & bench_hardware,
  const RunRequests & requests)
{
  MotorHardware & hardware = *bench_hardware.hardware;
  std::vector<StepResult> results{opening(hardware)};
  if (results.front().end != StepEnd::passed)
  {
    return results;
  }
  std::optional<commission::SimulatedPerson> simulated;
  if (bench_hardware.rehearsal != nullptr)
  {
    simulated.emplace(*bench_hardware.rehearsal);
  }
  Listener listener(simulated ? &*simulated : nullptr);
  commission::Settings settings = a.settings;
  settings.limits.volts = std::min(std::max(a.pulse, 0.1), robot.limits().voltage);
  commission::Bench bench = make_bench(
    hardware, robot, bench_hardware.calibration, settings, listener,
    [&requests] { return requests.interrupts.load(std::memory_order_relaxed) > 0; });
  const bool turned = a.settings.person_time > 0.0;
  const bool driven = a.pulse > 0.0;
  for (StepResult & result : run_check(bench, {turned, driven}))
  {
    results.push_back(std::move(result));
  }
  if (!driven)
  {
    results.push_back(skipped("driven", "motors, counts and watchdog"));
  }
  if (!turned)
  {
    results.push_back(
      driven ? seen_before(a, robot, bench_hardware.calibration)
             : skipped("seen", "which way the links turn"));
  }
  hardware.disarm();
  hardware.close();
  return results;
}

nlohmann::json to_json(const CheckArguments & a, const std::vector<StepResult> & results)
{
  nlohmann::json json{
    {"schema", 1},
    {"content", "hardware check"},
    {"hardware", a.hardware},
    {"checks", nlohmann::json::array()},
    {"faults", nlohmann::json::array()}};
  for (const StepResult & result : results)
  {
    for (const commission::Measurement & m : result.measurements)
    {
      json["checks"].push_back(
        {{"step", result.name},
         {"name", m.name},
         {"measured", m.measured},
         {"limit", m.limit},
         {"value", m.value ? nlohmann::json(*m.value) : nlohmann::json()},
         {"unit", m.unit},
         {"result", commission::verdict(m)}});
    }
    for (const std::string & fault : result.faults)
    {
      json["faults"].push_back(fault);
    }
  }
  return json;
}

int run_check_hardware(const CheckArguments & a)
{
  const LastResort last_resort;
  const AlternateStack stack;
  RunArguments run;
  run.robot = a.robot;
  run.plant = a.plant;
  const RobotModel robot = load_robot_for(run);
  BenchHardware bench_hardware =
    make_bench_hardware(a.hardware, a.calibration, load_plant_for(run), robot, a.settings.rate);
  RunRequests requests;
  const RunSignals signals(requests);
  RealtimeReport realtime;
  enter_realtime(a.realtime, realtime);
  const std::vector<StepResult> results = check(a, robot, bench_hardware, requests);
  bool passed = true;
  bool complete = true;
  bool interrupted = false;
  for (const StepResult & result : results)
  {
    print_step(result);
    passed = passed && (result.end == StepEnd::passed || result.end == StepEnd::skipped);
    complete = complete && result.end != StepEnd::skipped;
    interrupted = interrupted || result.end == StepEnd::interrupted;
  }
  print_line(
    passed ? (complete ? coloured(stdout, Colour::green, "PASS")
                       : coloured(stdout, Colour::yellow, "PASS, but not everything was checked"))
           : coloured(stdout, Colour::red, interrupted ? "INTERRUPTED" : "FAIL"));
  if (!a.json.empty())
  {
    nlohmann::json json = to_json(a, results);
    json["passed"] = passed;
    write_file_atomically(output_target(a.json), json.dump(2) + "\n");
  }
  if (interrupted && signals.first() != 0)
  {
    return 128 + signals.first();
  }
  return passed ? done : hardware_fault;
}

void add_options(CLI::App & command, CheckArguments & a)
{
  add_bench_options(command, a, "Stamp of the commissioning")->required();
  command
    .add_option(
      "--turn-time", a.settings.person_time,
      "Time for turning each link by hand [s]; 0: the stamp of a commissioning must say that "
      "someone has seen it")
    ->type_name("S")
    ->capture_default_str()
    ->check(CLI::Range(0.0, 600.0));
  command.add_option("--pulse", a.pulse, "Largest voltage of a motor [V]; 0 drives nothing")
    ->type_name("V")
    ->capture_default_str()
    ->check(CLI::Range(0.0, 3.0));
}

}  // namespace

void add_check_hardware(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<CheckArguments>();
  CLI::App * command = app.add_subcommand(
    "check-hardware", "Test motors, encoders and their connection: pass or fail");
  command->footer(
    "The unattended part of 'fivebar commission': round trips and jitter, the encoders while you\n"
    "turn the links counter-clockwise, the device's watchdog, which motor moves which encoder and\n"
    "which way, counts per turn, friction and delay against the model. Keep a hand on the\n"
    "emergency stop. A mirrored joint is seen by people only: without anyone who turns the links\n"
    "(--turn-time 0) it passes only where a commissioning has left its stamp.\n\n"
    "Examples:\n"
    "  fivebar check-hardware --hardware serial:/dev/ttyACM0\n"
    "  fivebar check-hardware --hardware sim --plant config/plants/mismatched.yaml\n\n"
    "Exit codes: 0 passed; 2 bad usage or bad file; 4 failed; 130 interrupted (128 + signal).");
  add_options(*command, *a);
  command->callback([a, &exit_code] { exit_code = run_check_hardware(*a); });
}

}  // namespace fivebar_control::cli
