// SPDX-License-Identifier: Apache-2.0
#include "completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace fivebar_control::cli
{
namespace
{

/// What can stand for an option's value: some words, files (with one ending, or any), folders, or
/// nothing that could be guessed.
struct Guess
{
  std::vector<std::string> words;
  bool files = false;
  std::string ending;  ///< of the files: ".yaml"
  bool folders = false;
};

/// From the value's name in the help: "FILE.yaml", "FOLDER", "zero|PLAN.csv", "sim|serial:DEVICE".
Guess guess_of(const OptionText & option)
{
  Guess guess;
  guess.words = option.choices;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1)
  {
    end = option.value.find('|', begin);
    const std::string name = option.value.substr(begin, end - begin);
    const std::size_t dot = name.rfind('.');
    if (!name.empty() && std::islower(static_cast<unsigned char>(name[0])) != 0)
    {
      const auto open = std::find_if(
        name.begin(), name.end(), [](unsigned char letter) { return std::isupper(letter) != 0; });
      guess.words.emplace_back(name.begin(), open);
    }
    else if (dot != std::string::npos)
    {
      guess.files = true;
      guess.ending = name.substr(dot);
    }
    else if (name == "FILE" || name == "PATH")
    {
      guess.files = true;
    }
    guess.folders = guess.folders || name == "FOLDER";
  }
  return guess;
}

/// In single quotes for a shell; fish reads '\'' inside them, the others need them interrupted.
std::string quoted(const std::string & text, const char * quote)
{
  std::string result = "'";
  for (const char letter : text)
  {
    result += letter == '\'' ? std::string(quote) : std::string(1, letter);
  }
  return result + "'";
}

std::string names_of(const std::vector<OptionText> & options)
{
  std::vector<std::string> names;
  for (const OptionText & option : options)
  {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return fmt::format("{}", fmt::join(names, " "));
}

std::string names_of(const std::vector<CommandText> & commands)
{
  std::vector<std::string> names;
  for (const CommandText & command : commands)
  {
    names.push_back(command.name);
  }
  return fmt::format("{}", fmt::join(names, " "));
}

constexpr const char * bash_helpers =
  R"(# bash completion for fivebar, written by 'fivebar completion bash'

_fivebar_words()
{
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]] && compopt -o nospace 2> /dev/null
  return 0
}

_fivebar_files()
{
  local found
  compopt -o filenames 2> /dev/null
  mapfile -t found < <(compgen -f -X "!*$1" -- "$current"; compgen -d -- "$current")
  COMPREPLY+=("${found[@]}")
}
)";

std::string bash_guess(const OptionText & option)
{
  const Guess guess = guess_of(option);
  std::string text;
  if (!guess.words.empty())
  {
    text += fmt::format("_fivebar_words '{}'; ", fmt::join(guess.words, " "));
  }
  if (guess.files)
  {
    text += fmt::format("_fivebar_files '{}'; ", guess.ending);
  }
  if (guess.folders)
  {
    text += "_fivebar_files /; ";
  }
  return text;
}

std::string bash_values(const CommandText & command)
{
  std::string text;
  for (const OptionText & option : command.options)
  {
    if (!option.names.empty() && !option.value.empty() && !option.value_optional)
    {
      std::vector<std::string> patterns;
      for (const std::string & name : option.names)
      {
        patterns.push_back(fmt::format("{}:{}", command.name, name));
      }
      text += fmt::format("    {}) {}return ;;\n", fmt::join(patterns, " | "), bash_guess(option));
    }
  }
  return text;
}

std::string bash_arguments(const CommandText & command)
{
  std::string text;
  for (const OptionText & option : command.options)
  {
    const std::string guess = option.names.empty() ? bash_guess(option) : std::string();
    if (text.find(guess) == std::string::npos)
    {
      text += guess;
    }
  }
  return text;
}

/// Inside the brackets of an _arguments specification.
std::string zsh_text(const std::string & text)
{
  std::string result;
  for (const char letter : text)
  {
    result += letter == '[' || letter == ']' || letter == ':' ? std::string("\\") : std::string();
    result += letter;
  }
  return result;
}

std::string zsh_action(const OptionText & option)
{
  const Guess guess = guess_of(option);
  std::string words = fmt::format("{}", fmt::join(guess.words, " "));
  std::string files;
  if (guess.folders || guess.files)
  {
    files = guess.folders          ? std::string("_files -/")
            : guess.ending.empty() ? std::string("_files")
                                   : fmt::format("_files -g \"*{}\"", guess.ending);
  }
  if (words.empty())
  {
    return files;
  }
  if (files.empty())
  {
    return fmt::format("({})", zsh_text(words));
  }
  return fmt::format("{{compadd -- {}; {}}}", words, files);
}

std::string zsh_specifications(const std::vector<OptionText> & options)
{
  std::string text;
  for (const OptionText & option : options)
  {
    const std::string value = option.value.empty()
                                ? std::string()
                                : fmt::format(
                                    "{}{}:{}", option.value_optional ? "::" : ":",
                                    zsh_text(option.value), zsh_action(option));
    if (option.names.empty())
    {
      text += fmt::format(" \\\n        {}", quoted((option.repeats ? "*" : "") + value, "'\\''"));
      continue;
    }
    for (const std::string & name : option.names)
    {
      text += fmt::format(
        " \\\n        {}",
        quoted(
          fmt::format(
            "{}{}[{}]{}", option.repeatable ? "*" : "", name, zsh_text(option.text), value),
          "'\\''"));
    }
  }
  return text;
}

std::string fish_option(const OptionText & option, const std::string & condition)
{
  std::string text = fmt::format("complete -c fivebar{}", condition);
  for (const std::string & name : option.names)
  {
    text += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                   : fmt::format(" -s {}", name.substr(1));
  }
  const Guess guess = guess_of(option);
  const bool any_file = guess.files && guess.ending.empty();
  std::vector<std::string> values = guess.words;
  if (guess.files && !any_file)
  {
    values.push_back(fmt::format("(__fish_complete_suffix {})", guess.ending));
  }
  if (guess.folders)
  {
    values.emplace_back("(__fish_complete_directories)");
  }
  if (!option.names.empty() && !option.value.empty() && !option.value_optional)
  {
    text += any_file ? " -r" : " -x";
  }
  text += any_file ? " -F" : "";
  if (!values.empty())
  {
    text += fmt::format(" -a {}", quoted(fmt::format("{}", fmt::join(values, " ")), "\\'"));
  }
  return fmt::format("{} -d {}\n", text, quoted(option.text, "\\'"));
}

}  // namespace

std::string bash_completion(const ProgramText & program)
{
  std::string values;
  std::string arguments;
  for (const CommandText & command : program.commands)
  {
    values += bash_values(command);
    arguments += fmt::format(
      "    {}) options='{}'; [[ $current == -* ]] || {{ {}:; }} ;;\n", command.name,
      names_of(command.options), bash_arguments(command));
  }
  return fmt::format(
    R"({}
_fivebar()
{{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD - 1]}}"
  local command="" options="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${{COMP_WORDS[i]}} != -* ]]; then
      command="${{COMP_WORDS[i]}}"
      break
    fi
  done
  # --option=value comes as three words.
  if [[ $current == "=" ]]; then
    current=""
  elif [[ $previous == "=" ]]; then
    previous="${{COMP_WORDS[COMP_CWORD - 2]}}"
  fi
  case "$command:$previous" in
{}  esac
  case "$command" in
    "") options='{} {}' ;;
{}  esac
  if [[ -z $command || $current == -* ]]; then
    _fivebar_words "$options"
  fi
}}

complete -F _fivebar fivebar
)",
    bash_helpers, values, names_of(program.commands), names_of(program.options), arguments);
}

std::string zsh_completion(const ProgramText & program)
{
  std::string commands;
  std::string cases;
  for (const CommandText & command : program.commands)
  {
    commands += fmt::format(
      "        {}\n", quoted(fmt::format("{}:{}", command.name, command.summary), "'\\''"));
    cases += fmt::format(
      "    {})\n      _arguments{}\n      ;;\n", command.name, zsh_specifications(command.options));
  }
  return fmt::format(
    R"(#compdef fivebar
# zsh completion for fivebar, written by 'fivebar completion zsh'

_fivebar()
{{
  local context state state_descr line
  typeset -A opt_args
  _arguments -C{} \
        '1:command:->command' \
        '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
{}      )
      _describe -t commands 'command' commands
      ;;
    argument)
      _fivebar_argument
      ;;
  esac
}}

_fivebar_argument()
{{
  case $words[1] in
{}  esac
}}

_fivebar "$@"
)",
    zsh_specifications(program.options), commands, cases);
}

std::string fish_completion(const ProgramText & program)
{
  std::string text =
    "# fish completion for fivebar, written by 'fivebar completion fish'\n\n"
    "complete -c fivebar -f\n";
  for (const OptionText & option : program.options)
  {
    text += fish_option(option, " -n __fish_use_subcommand");
  }
  for (const CommandText & command : program.commands)
  {
    text += fmt::format(
      "\ncomplete -c fivebar -n __fish_use_subcommand -a {} -d {}\n", command.name,
      quoted(command.summary, "\\'"));
    for (const OptionText & option : command.options)
    {
      text +=
        fish_option(option, fmt::format(" -n '__fish_seen_subcommand_from {}'", command.name));
    }
  }
  return text;
}

}  // namespace fivebar_control::cli
