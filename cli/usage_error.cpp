// SPDX-License-Identifier: Apache-2.0
#include "usage_error.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "command_tree.hpp"
#include "fivebar_control/support/suggestion.hpp"

namespace fivebar_control::cli
{
namespace
{

std::vector<std::string> option_names(const std::vector<OptionText> & options)
{
  std::vector<std::string> names;
  for (const OptionText & option : options)
  {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

/// `what` 'name', with the nearest known name or, without one, where to find them all.
std::string unknown(
  const char * what, const std::string & name, const std::vector<std::string> & known,
  const std::string & help)
{
  const std::string nearest = nearest_name(name, known);
  return nearest.empty() ? fmt::format("unknown {} '{}'; '{}' lists them", what, name, help)
                         : fmt::format("unknown {} '{}', did you mean '{}'?", what, name, nearest);
}

std::string without_command(const CLI::App & program, const CLI::ParseError & error)
{
  const ProgramText text = text_of(program);
  const std::vector<std::string> left = program.remaining();
  if (left.empty())
  {
    return fmt::format("{}; 'fivebar --help' lists the commands", error.what());
  }
  if (left.front().starts_with("-"))
  {
    return unknown("option", left.front(), option_names(text.options), "fivebar --help");
  }
  std::vector<std::string> commands;
  for (const CommandText & command : text.commands)
  {
    commands.push_back(command.name);
  }
  return unknown("command", left.front(), commands, "fivebar --help");
}

}  // namespace

std::string option_error(const InputError & error)
{
  std::string option = error.key();
  std::replace(option.begin(), option.end(), '_', '-');
  return fmt::format("--{}: {}", option, error.message());
}

std::string usage_error(const CLI::App & program, const CLI::ParseError & error)
{
  const std::vector<CLI::App *> chosen = program.get_subcommands();
  if (chosen.empty())
  {
    return without_command(program, error);
  }
  const std::string name = chosen.front()->get_name();
  const std::string help = fmt::format("fivebar {} --help", name);
  const std::vector<std::string> left = program.remaining(true);
  const auto option = std::find_if(
    left.begin(), left.end(), [](const std::string & word) { return word.starts_with("-"); });
  if (option != left.end())
  {
    ProgramText text = text_of(program);
    text.commands.insert(text.commands.end(), text.hidden.begin(), text.hidden.end());
    const auto command = std::find_if(
      text.commands.begin(), text.commands.end(),
      [&](const CommandText & candidate) { return candidate.name == name; });
    const std::vector<std::string> known =
      command == text.commands.end() ? std::vector<std::string>{} : option_names(command->options);
    return name + ": " + unknown("option", option->substr(0, option->find('=')), known, help);
  }
  if (!left.empty())
  {
    return fmt::format("{}: unexpected argument '{}'; '{}' explains", name, left.front(), help);
  }
  return fmt::format("{}: {}; '{}' explains", name, error.what(), help);
}

}  // namespace fivebar_control::cli
