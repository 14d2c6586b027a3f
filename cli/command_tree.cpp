// SPDX-License-Identifier: Apache-2.0
#include "command_tree.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

namespace fivebar_control::cli
{
namespace
{

std::vector<std::string> split(const std::string & text, char separator)
{
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1)
  {
    end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
  }
  return parts;
}

/// The parser adds what its checks say to the type: "NAME:{sim,mujoco}", "N:INT in [1 - 100]".
void read_type(const std::string & type, OptionText & option)
{
  const std::size_t set = type.find(":{");
  const std::size_t range = type.find(" in [");
  if (set != std::string::npos && type.back() == '}')
  {
    option.value = type.substr(0, set);
    option.choices = split(type.substr(set + 2, type.size() - set - 3), ',');
    return;
  }
  if (range != std::string::npos && type.back() == ']')
  {
    const std::string bounds = type.substr(range + 5, type.size() - range - 6);
    const std::size_t dash = bounds.find(" - ");
    option.range = bounds.substr(0, dash) + " to " + bounds.substr(dash + 3);
  }
  // A colon may also be part of the name, as in ADDRESS:PORT.
  static const std::vector<std::string> checks{":INT in", ":FLOAT in", ":POSITIVE", ":NONNEGATIVE"};
  option.value = type;
  for (const std::string & check : checks)
  {
    option.value = option.value.substr(0, option.value.find(check));
  }
}

OptionText text_of(const CLI::Option & from)
{
  OptionText option;
  for (const std::string & name : from.get_lnames())
  {
    option.names.push_back(fmt::format("--{}", name));
  }
  for (const std::string & name : from.get_snames())
  {
    option.names.push_back(fmt::format("-{}", name));
  }
  option.text = from.get_description();
  option.default_value = from.get_default_str();
  option.environment = from.get_envname();
  option.required = from.get_required();
  const bool is_flag = from.get_items_expected_max() == 0;
  if (!is_flag)
  {
    read_type(from.get_type_name(), option);
    option.repeatable = from.get_expected_max() > 1 ||
                        from.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
    option.repeats = from.get_expected_max() > 1 && from.get_allow_extra_args();
    option.value_optional = from.get_items_expected_min() == 0;
  }
  if (option.names.empty())
  {
    option.value = from.get_name(true);
  }
  return option;
}

std::vector<OptionText> options_of(const CLI::App & command)
{
  std::vector<OptionText> options;
  for (const CLI::Option * option : command.get_options())
  {
    if (!option->get_group().empty())
    {
      options.push_back(text_of(*option));
    }
  }
  return options;
}

}  // namespace

ProgramText text_of(const CLI::App & program)
{
  ProgramText text;
  text.options = options_of(program);
  for (const CLI::App * command : program.get_subcommands({}))
  {
    (command->get_group().empty() ? text.hidden : text.commands)
      .push_back(
        {command->get_name(), command->get_group(), command->get_description(),
         command->get_footer(), options_of(*command)});
  }
  return text;
}

std::string list_by_group(
  const ProgramText & program, const std::function<std::string(const std::string &)> & heading,
  const std::function<std::string(const CommandText &)> & line)
{
  std::string text;
  std::string group;
  for (const CommandText & command : program.commands)
  {
    if (command.group != group)
    {
      group = command.group;
      text += heading(group);
    }
    text += line(command);
  }
  return text;
}

std::string synopsis(const OptionText & option)
{
  std::string text = option.names.empty() ? option.value : option.names.front();
  if (!option.names.empty() && !option.value.empty())
  {
    text +=
      option.value_optional ? fmt::format(" [{}]", option.value) : fmt::format(" {}", option.value);
  }
  text += option.repeats ? "..." : "";
  return option.required ? text : fmt::format("[{}]", text);
}

}  // namespace fivebar_control::cli
