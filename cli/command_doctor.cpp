// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "commands.hpp"
#include "doctor_checks.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/message.hpp"
#include "output_file.hpp"
#include "shared_options.hpp"
#include "terminal.hpp"

namespace fivebar_control::cli
{
namespace
{

struct DoctorArguments
{
  RealtimeOptions realtime;
  std::string hardware, json;
  int baud = 1000000;
  double duration = 5.0;  ///< s
};

struct Examination
{
  std::vector<Diagnosis> diagnoses, modes;
  TimeHistogram wake_up;
  std::optional<BoardExamination> board;
};

Examination examine(const DoctorArguments & a)
{
  Examination found;
  found.diagnoses = {examine_kernel(), examine_governor()};
  // In a thread of its own, so that this one stays an ordinary one.
  std::thread loop([&] {
    for (Diagnosis & diagnosis : examine_permissions(a.realtime))
    {
      found.diagnoses.push_back(std::move(diagnosis));
    }
    found.wake_up = measure_wake_up(a.duration);
  });
  loop.join();
  found.diagnoses.push_back(judge_wake_up(found.wake_up));
  if (!a.hardware.empty())
  {
    found.board = examine_board(a.hardware.substr(a.hardware.find(':') + 1), a.baud);
    found.diagnoses.insert(
      found.diagnoses.end(), found.board->diagnoses.begin(), found.board->diagnoses.end());
  }
  found.modes = judge_modes(found.wake_up, found.board ? &*found.board : nullptr);
  return found;
}

nlohmann::json to_json(const std::vector<Diagnosis> & diagnoses)
{
  nlohmann::json list = nlohmann::json::array();
  for (const Diagnosis & diagnosis : diagnoses)
  {
    list.push_back(
      {{"name", diagnosis.name},
       {"health", to_string(diagnosis.health)},
       {"text", diagnosis.text},
       {"remedy",
        diagnosis.remedy.empty() ? nlohmann::json(nullptr) : nlohmann::json(diagnosis.remedy)}});
  }
  return list;
}

nlohmann::json to_json(const TimeHistogram & times)
{
  return {
    {"count", times.count()},
    {"mean", times.mean()},
    {"p99_9", times.quantile(0.999)},
    {"max", times.largest()}};
}

void print(const std::vector<Diagnosis> & diagnoses)
{
  for (const Diagnosis & diagnosis : diagnoses)
  {
    const Colour colour = diagnosis.health == Health::good
                            ? Colour::green
                            : (diagnosis.health == Health::fair ? Colour::yellow : Colour::red);
    fmt::print(
      "{}  {:<11} {}\n", coloured(stdout, colour, to_string(diagnosis.health)), diagnosis.name,
      diagnosis.text);
    if (!diagnosis.remedy.empty())
    {
      fmt::print("                  {}\n", diagnosis.remedy);
    }
  }
}

int run_doctor(const DoctorArguments & a)
{
  if (!a.hardware.empty() && (!a.hardware.starts_with("serial:") || a.hardware.size() == 7))
  {
    throw InputError(fmt::format(
      "--hardware: expected serial:DEVICE, got '{}'; other hardware has 'fivebar check-hardware'",
      a.hardware));
  }
  say("fivebar: {:.0f} s of wake-ups are measured\n", a.duration);
  const Examination found = examine(a);
  print(found.diagnoses);
  fmt::print("\n");
  print(found.modes);
  if (!a.json.empty())
  {
    const nlohmann::json json = {
      {"schema", 1},
      {"content", "examination of the machine"},
      {"diagnoses", to_json(found.diagnoses)},
      {"modes", to_json(found.modes)},
      {"wake_up_ns", to_json(found.wake_up)},
      {"round_trip_ns", found.board && found.board->answers ? to_json(found.board->round_trip)
                                                            : nlohmann::json(nullptr)}};
    write_file_atomically(output_target(a.json), json.dump(2) + "\n");
  }
  return found.board && !found.board->answers ? hardware_fault : done;
}

}  // namespace

void add_doctor(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<DoctorArguments>();
  CLI::App * command = app.add_subcommand(
    "doctor", "Examine this machine, the serial line and the board: which ways to play will work");
  command->footer(
    "Looks at kernel, permissions, governor and sleep states, measures how late a loop of 1 kHz\n"
    "is woken up, and asks a serial board for its versions and its round trips. Nothing moves,\n"
    "nothing is changed: what would help is printed as a command.\n\n"
    "Examples:\n"
    "  fivebar doctor\n"
    "  fivebar doctor --hardware serial:/dev/ttyACM0 --json doctor.json\n\n"
    "Exit codes: 0 done, whatever was found; 2 bad usage; 4 the board does not answer.");
  command->add_option("--hardware", a->hardware, "Serial line to examine (default: none)")
    ->type_name("serial:DEVICE");
  command->add_option("--baud", a->baud, "Of that line [bit/s]; USB devices do not care")
    ->type_name("N")
    ->capture_default_str()
    ->check(CLI::Range(115200, 4000000));
  command->add_option("--duration", a->duration, "Time for the wake-ups [s]")
    ->type_name("S")
    ->capture_default_str()
    ->check(CLI::Range(0.1, 3600.0));
  add_priority(*command, a->realtime);
  add_output(*command, "--json", a->json, "Write the findings here (JSON)");
  command->callback([a, &exit_code] { exit_code = run_doctor(*a); });
}

}  // namespace fivebar_control::cli
