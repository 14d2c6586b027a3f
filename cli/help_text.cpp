// SPDX-License-Identifier: Apache-2.0
#include "help_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace fivebar_control::cli
{
namespace
{

constexpr std::size_t screen_width = 80;
constexpr std::size_t text_column = 28;

constexpr const char * introduction =
  "fivebar plans motor voltages with which a five-bar robot draws a curve, and plays them.\n"
  "Usage: fivebar COMMAND [ARGUMENTS]\n";

constexpr const char * examples =
  "\n"
  "Examples:\n"
  "  fivebar init lab   # a folder of files to edit, and what to do with them\n";

constexpr const char * more =
  "'fivebar COMMAND --help' explains a command. SI units throughout; see docs/ and 'man "
  "fivebar'.\n";

std::string command_list(const ProgramText & program)
{
  return list_by_group(
    program, [](const std::string & group) { return fmt::format("\n{}:\n", group); },
    [](const CommandText & command) {
      return fmt::format("  {:<16}{}\n", command.name, command.summary);
    });
}

/// The label, and beside or below it the text, broken into lines.
std::string entry(const std::string & label, const std::string & text)
{
  std::string result = fmt::format("  {}", label);
  std::size_t column = result.size();
  if (column + 2 > text_column)
  {
    result += '\n';
    column = 0;
  }
  result += std::string(text_column - column, ' ');
  column = text_column;
  std::istringstream words(text);
  for (std::string word; words >> word; column += word.size() + 1)
  {
    if (column + word.size() > screen_width && column > text_column)
    {
      result.back() = '\n';
      result += std::string(text_column, ' ');
      column = text_column;
    }
    result += word + ' ';
  }
  result.back() = '\n';
  return result;
}

std::string label_of(const OptionText & option)
{
  OptionText plain = option;
  plain.required = true;  // no brackets
  std::string others;
  for (std::size_t i = 1; i < option.names.size(); ++i)
  {
    others += option.names[i] + ", ";
  }
  return others + synopsis(plain);
}

}  // namespace

std::string overview(const ProgramText & program)
{
  return introduction + command_list(program) + examples + more;
}

std::string overview_with_options(const ProgramText & program)
{
  std::string options = "\nOptions:\n";
  for (const OptionText & option : program.options)
  {
    options += fmt::format("  {:<16}{}\n", label_of(option), option.text);
  }
  return introduction + command_list(program) + options + examples + more;
}

std::string explanation(const OptionText & option)
{
  // The default comes last, also where it is a sentence of the option's own.
  const std::size_t default_begins = std::min(option.text.find(" (default"), option.text.size());
  std::string text = option.text.substr(0, default_begins);
  if (!option.choices.empty())
  {
    text += fmt::format("; one of {}", fmt::join(option.choices, ", "));
  }
  if (!option.range.empty())
  {
    text += fmt::format("; from {}", option.range);
  }
  if (!option.environment.empty())
  {
    text += fmt::format("; also the environment's {}", option.environment);
  }
  text += option.text.substr(default_begins);
  if (!option.default_value.empty())
  {
    text += fmt::format(" (default: {})", option.default_value);
  }
  if (option.required && !option.names.empty())
  {
    text += " (required)";
  }
  return text;
}

std::string command_help(const CommandText & command)
{
  std::string usage = fmt::format("Usage: fivebar {}", command.name);
  std::string arguments;
  std::string options;
  for (const OptionText & option : command.options)
  {
    const bool by_place = option.names.empty();
    if (by_place || option.required)
    {
      usage += fmt::format(" {}", synopsis(option));
    }
    (by_place ? arguments : options) += entry(label_of(option), explanation(option));
  }
  return fmt::format(
    "{}.\n\n{} [OPTIONS]\n{}{}\nOptions:\n{}\n{}\n", command.summary, usage,
    arguments.empty() ? "" : "\nArguments:\n", arguments, options, command.footer);
}

}  // namespace fivebar_control::cli
