// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <charconv>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "fivebar_control/learning/identified_file.hpp"
#include "fivebar_control/learning/identify.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/config_location.hpp"
#include "fivebar_control/support/errors.hpp"
#include "identification_report.hpp"
#include "output_file.hpp"

namespace fivebar_control::cli
{
namespace
{

struct IdentifyArguments
{
  std::vector<std::string> logs, free;
  std::string robot, out, json, report, delay = "auto";
  double noise = -1.0;
  bool accept_misfit = false;
  bool rigid = false;
  bool quiet = false;
};

std::optional<int> delay_of(const std::string & text)
{
  if (text == "auto")
  {
    return std::nullopt;
  }
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > 20)
  {
    throw InputError(
      fmt::format("--delay: expected 'auto' or cycles from 0 to 20, got '{}'", text));
  }
  return value;
}

IdentifyOptions options_of(const IdentifyArguments & a)
{
  IdentifyOptions options;
  options.delay = delay_of(a.delay);
  std::vector<LumpGroup> lumps;
  for (const std::string & name : a.free)
  {
    for (const LumpGroup group : lump_groups)
    {
      if (name == to_string(group))
      {
        lumps.push_back(group);
      }
    }
    for (const DriveGroup group : drive_groups)
    {
      if (name == to_string(group))
      {
        options.drives.push_back(group);
      }
    }
  }
  // Drives alone come on top of the usual groups. Who says what is to be found gets that.
  options.extend = a.free.empty() && !a.rigid;
  if (!a.quiet)
  {
    options.progress = [](const std::string & sentence) {
      fmt::print(stderr, "  {}\n", sentence);
      std::fflush(stderr);
    };
  }
  if (!lumps.empty())
  {
    options.free = lumps;
  }
  return options;
}

/// The result must not replace one of the files that it is made from.
void require_other_targets(const IdentifyArguments & a)
{
  std::vector<std::string> sources = a.logs;
  sources.push_back(given_or_config(a.robot, "robot.yaml"));
  for (const std::string & target : {a.out, a.json, a.report})
  {
    for (const std::string & source : sources)
    {
      std::error_code error;
      if (!target.empty() && std::filesystem::equivalent(target, source, error))
      {
        throw InputError(fmt::format("{} is one of the files to identify from", target));
      }
    }
  }
}

/// Why this is no robot to plan with; empty if it is one.
std::string objection(const Identification & found)
{
  if (found.reduced() > hopeless_misfit)
  {
    return fmt::format(
      "chi^2/N is {:.3g}, above {:g}. Free more (--free), look at the residuals (--report)",
      found.reduced(), hopeless_misfit);
  }
  return is_shown(found) ? std::string()
                         : "these data do not show the whole robot. Use a livelier motion "
                           "('fivebar excite' plans "
                           "one), more logs, or free less (--free)";
}

int run_identify(const IdentifyArguments & a)
{
  require_other_targets(a);
  const IdentifyOptions options = options_of(a);
  const RobotModel robot = load_robot(given_or_config(a.robot, "robot.yaml"));
  std::vector<RecordedMotion> motions;
  for (const std::string & log : a.logs)
  {
    motions.push_back(recorded_motion(load_run_record(log), robot, a.noise));
  }
  const Identification found = identify(robot, motions, options);
  const IdentificationReport report{robot, motions, found};
  fmt::print("{}", summary(report));
  const std::string wrong = a.accept_misfit ? std::string() : objection(found);
  std::string text;
  if (wrong.empty() && !a.out.empty())
  {
    text = identified_robot_file(robot, motions, found, a.out, report.plan_coulomb_velocity);
  }
  if (!a.json.empty())
  {
    write_file_atomically(output_target(a.json), to_json(report).dump(2) + "\n");
  }
  if (!a.report.empty())
  {
    write_file_atomically(output_target(a.report), identification_page(report));
    fmt::print("  report: {}\n", output_name(a.report));
  }
  if (!wrong.empty())
  {
    fmt::print(
      stderr, "fivebar: no robot file{}: {}, or insist (--accept-misfit)\n",
      a.out.empty() ? "" : " was written", wrong);
    return not_converged;
  }
  if (!a.out.empty())
  {
    write_file_atomically(output_target(a.out), text);
    fmt::print("  robot file: {}\n", output_name(a.out));
  }
  return done;
}

}  // namespace

void add_identify(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<IdentifyArguments>();
  CLI::App * command = app.add_subcommand(
    "identify", "Find masses, friction, gains and delay of a robot from run logs");
  command->footer(
    "Fits the model to the measured motion under the volts that were applied, and writes a robot\n"
    "file that 'fivebar plan' takes. One log of a lively curve is enough; different curves are\n"
    "better than repetitions. chi^2/N near 1 says that the model explains the data to the last\n"
    "count; above 1.2 it is doubtful, above 3 no file is written, nor where the data do not show\n"
    "the whole robot ('fivebar excite' plans a motion that does). docs/learning.md\n\n"
    "Groups of --free: inertia, gain, damping, coulomb, tilt (gravity in the plane), moments "
    "(first\n"
    "moments of links 1 and 4, which gravity shows), offsets (of the encoders); of the drives\n"
    "elastic (stiffness, damping), stribeck (friction at rest) and amplifier (lag, dead band).\n"
    "Without it: the first four, and whatever else the data call for: tilt, moments where the "
    "robot\n"
    "file has gravity, and drives where rigid ones leave chi^2/N above 1.1 and these bring it "
    "below\n"
    "1.2 (--rigid: never). A known backlash, and encoders that sit on the motors, stand in the "
    "robot\n"
    "file (drives: gap, encoder).\n\n"
    "Example:\n"
    "  fivebar identify b.log.csv --out robot.identified.yaml\n"
    "  fivebar plan config/curves/b.yaml --robot robot.identified.yaml --out b2.csv\n\n"
    "Exit codes: 0 done; 2 bad usage or bad file; 3 the model cannot explain the data, or\n"
    "these do not show the robot.");
  command->add_option("LOG.csv", a->logs, "Logs of runs ('fivebar run --log')")->required();
  command
    ->add_option(
      "--robot", a->robot,
      "What was planned with, and is known of the robot (default: robot.yaml of config/)")
    ->type_name("FILE.yaml");
  command->add_option("--delay", a->delay, "From written volts to the motors: 'auto' or cycles")
    ->type_name("auto|N")
    ->capture_default_str();
  command->add_option("--free", a->free, "What is to be found (default: see below)")
    ->type_name("GROUP")
    ->check(CLI::IsMember(
      {"inertia", "gain", "damping", "coulomb", "tilt", "moments", "offsets", "elastic", "stribeck",
       "amplifier"}));
  command->add_flag("--rigid", a->rigid, "Never seek elastic drives, friction at rest, amplifiers")
    ->excludes("--free");
  command->add_flag("--quiet", a->quiet, "No progress");
  command
    ->add_option(
      "--noise", a->noise,
      "Noise of the encoders before rounding [rad], standard deviation (default: found)")
    ->type_name("RAD")
    ->check(CLI::Range(0.0, 0.1));
  add_output(*command, "--out", a->out, "The robot file to write")->type_name("FILE.yaml");
  add_output(*command, "--json", a->json, "Write values, intervals and misfit here (JSON)");
  add_output(*command, "--report", a->report, "Page of measured and predicted motion")
    ->type_name("FILE.html");
  command->add_flag("--accept-misfit", a->accept_misfit, "Write the robot file all the same");
  command->callback([a, &exit_code] { exit_code = run_identify(*a); });
}

}  // namespace fivebar_control::cli
