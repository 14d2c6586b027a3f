// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <list>
#include <memory>
#include <string_view>

#include "commands.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/errors.hpp"

/// The files of config/ as they were when the program was built (daemon/CMakeLists.txt).
namespace fivebar_control::cli::shipped
{
extern const std::string_view robot_yaml, b_gentle_yaml, controller_yaml, mismatched_yaml;
}

namespace fivebar_control::cli
{
namespace
{

namespace fs = std::filesystem;

constexpr std::string_view next_commands =
  "fivebar plan curve.yaml --robot robot.yaml\n"
  "fivebar run curve.plan.csv --robot robot.yaml --controller controller.yaml --plant plant.yaml "
  "--fast --log curve.log.csv\n"
  "fivebar compare curve.plan.csv --robot robot.yaml --controller controller.yaml --plant "
  "plant.yaml\n";

struct InitArguments
{
  std::string folder;
  bool force = false;
};

struct NewFile
{
  std::string name;
  std::string content;
};

std::string readme()
{
  return fmt::format(
    "Files for fivebar, ready to edit. Every key and its unit are explained where it stands.\n"
    "\n"
    "robot.yaml       the robot: links, motors, limits\n"
    "curve.yaml       the curve that it has to draw, and how the plan weighs errors\n"
    "controller.yaml  gains, start and end of a run, guard\n"
    "plant.yaml       how the simulated robot differs from its model\n"
    "\n"
    "Next, in this folder: a plan, a run of it on the simulated robot, and a comparison of this "
    "run\n"
    "with one without feedforward.\n"
    "\n"
    "{}"
    "\n"
    "'fivebar check *.yaml' says whether the files are valid. 'fivebar COMMAND --help' explains a\n"
    "command.\n",
    next_commands);
}

std::array<NewFile, 5> new_files()
{
  return {{
    {"robot.yaml", std::string(shipped::robot_yaml)},
    {"curve.yaml", std::string(shipped::b_gentle_yaml)},
    {"controller.yaml", std::string(shipped::controller_yaml)},
    {"plant.yaml", std::string(shipped::mismatched_yaml)},
    {"README.txt", readme()},
  }};
}

void require_room(const InitArguments & a)
{
  std::error_code error;
  if (fs::exists(a.folder, error) && !fs::is_directory(a.folder, error))
  {
    throw InputError(fmt::format("{}: is a file, expected a folder or a new name", a.folder));
  }
  for (const NewFile & file : new_files())
  {
    const fs::path path = fs::path(a.folder) / file.name;
    if (!a.force && fs::symlink_status(path, error).type() != fs::file_type::not_found)
    {
      throw InputError(
        fmt::format("{}: is there already; --force replaces it", path.lexically_normal().string()));
    }
  }
}

/// All files are written under temporary names before the first one gets its own.
void write_files(const fs::path & folder)
{
  std::list<AtomicFile> files;
  for (const NewFile & file : new_files())
  {
    files.emplace_back((folder / file.name).string());
    files.back().write(file.content);
  }
  for (AtomicFile & file : files)
  {
    file.commit();
  }
}

/// As a shell reads it.
std::string quoted(const std::string & word)
{
  const bool plain =
    word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-") ==
    std::string::npos;
  if (plain)
  {
    return word;
  }
  std::string text = "'";
  for (const char letter : word)
  {
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  }
  return text + "'";
}

void run_init(const InitArguments & a)
{
  require_room(a);
  std::error_code error;
  const bool created = fs::create_directories(a.folder, error);
  if (error)
  {
    throw InputError(fmt::format("{}: cannot be made: {}", a.folder, error.message()));
  }
  try
  {
    write_files(a.folder);
  }
  catch (const InputError &)
  {
    if (created)
    {
      fs::remove(a.folder, error);
    }
    throw;
  }
  fmt::print(
    "{}: robot.yaml, curve.yaml, controller.yaml, plant.yaml and README.txt are ready to edit.\n"
    "Next:\n\ncd {}\n{}",
    a.folder, quoted(a.folder), next_commands);
}

}  // namespace

void add_init(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<InitArguments>();
  CLI::App * command =
    app.add_subcommand("init", "Make a folder of commented files that are ready to edit");
  command->footer(
    "Writes robot.yaml, curve.yaml, controller.yaml, plant.yaml and README.txt, with the units of\n"
    "every key, and prints the commands to run next. All files are written, or none.\n\n"
    "Example:\n"
    "  fivebar init lab\n\n"
    "Exit codes: 0 done; 2 bad usage, or a file is there already.");
  command->add_option("FOLDER", a->folder, "Where to; it is made if it is not there")->required();
  command->add_flag("--force", a->force, "Replace files that are there already");
  command->callback([a, &exit_code] {
    run_init(*a);
    exit_code = done;
  });
}

}  // namespace fivebar_control::cli
