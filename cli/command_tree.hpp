// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI
{
class App;
}

namespace fivebar_control::cli
{

/// What the command line accepts, as plain text: help, man pages and shell completion are made of
/// it, so that they cannot differ from the program.
struct OptionText
{
  std::vector<std::string> names;    ///< "--out"; none: the option is an argument by its place
  std::string value;                 ///< "FILE.yaml"; empty for a flag
  std::vector<std::string> choices;  ///< if it takes only these values
  std::string range;                 ///< "1 to 100"; empty if any value will do
  std::string text, default_value, environment;
  bool required = false;
  bool repeats = false;         ///< takes several values at once
  bool repeatable = false;      ///< may be given several times
  bool value_optional = false;  ///< "--web" and "--web ADDRESS"
};

struct CommandText
{
  std::string name, group, summary, footer;
  std::vector<OptionText> options;
};

struct ProgramText
{
  std::vector<OptionText> options;
  std::vector<CommandText> commands;  ///< in the order of the help screen
  std::vector<CommandText> hidden;    ///< commands for packages rather than for people
};

ProgramText text_of(const CLI::App & program);

/// The commands, group by group: what `heading` makes of a group's name, then what `line` makes of
/// each command.
std::string list_by_group(
  const ProgramText & program, const std::function<std::string(const std::string &)> & heading,
  const std::function<std::string(const CommandText &)> & line);

/// "--fps N" or, if it may be left out, "[--fps N]"; "CURVE.yaml...": as in a synopsis.
std::string synopsis(const OptionText & option);

}  // namespace fivebar_control::cli
