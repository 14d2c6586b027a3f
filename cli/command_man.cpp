// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "command_tree.hpp"
#include "commands.hpp"
#include "fivebar_control/support/atomic_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "manual.hpp"

namespace fivebar_control::cli
{
namespace
{

struct ManArguments
{
  std::string command, folder;
};

void write_all(const ProgramText & program, const std::filesystem::path & folder)
{
  std::filesystem::create_directories(folder);
  write_file_atomically((folder / "fivebar.1").string(), manual_page(program));
  for (const CommandText & command : program.commands)
  {
    const std::string name = fmt::format("fivebar-{}.1", command.name);
    write_file_atomically((folder / name).string(), manual_page(command));
  }
}

std::string page_of(const ProgramText & program, const std::string & name)
{
  const auto command = std::find_if(
    program.commands.begin(), program.commands.end(),
    [&name](const CommandText & candidate) { return candidate.name == name; });
  if (command == program.commands.end())
  {
    throw InputError(fmt::format("man: unknown command '{}'; 'fivebar --help' lists them", name));
  }
  return manual_page(*command);
}

void run_man(const ManArguments & a, const ProgramText & program)
{
  if (!a.folder.empty())
  {
    write_all(program, a.folder);
    return;
  }
  write_file_atomically(
    "/dev/stdout", a.command.empty() ? manual_page(program) : page_of(program, a.command));
}

}  // namespace

void add_man(CLI::App & app, int & exit_code)
{
  auto a = std::make_shared<ManArguments>();
  CLI::App * command = app.add_subcommand("man", "Write the manual page of fivebar or a command");
  command->footer(
    "Installed packages have these pages already.\n\n"
    "Example:\n"
    "  fivebar man plan | man -l -\n\n"
    "Exit codes: 0 done; 2 bad usage or bad folder.");
  auto * name = command->add_option("COMMAND", a->command, "Which command (default: the program)");
  command->add_option("--folder", a->folder, "Write all pages into this folder")
    ->type_name("FOLDER")
    ->excludes(name);
  command->callback([a, &app, &exit_code] {
    run_man(*a, text_of(app));
    exit_code = done;
  });
}

}  // namespace fivebar_control::cli
