// SPDX-License-Identifier: Apache-2.0
#include "console_person.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <sstream>

#include "bench_hardware.hpp"
#include "fivebar_control/commission/step.hpp"
#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control::cli
{

std::map<std::string, std::string> load_answers(const std::string & path)
{
  const YamlMap map = YamlMap::load(path);
  map.allow_only({"schema", "answers"});
  map.integer("schema", 1, 1);
  const YamlMap given = map.map("answers");
  given.allow_only(commission::question_keys());
  std::map<std::string, std::string> answers;
  for (const std::string & key : given.keys())
  {
    answers[key] = given.text(key);
  }
  return answers;
}

std::string wrapped(const std::string & text, std::size_t indent)
{
  constexpr std::size_t width = 96;
  std::istringstream words(text);
  std::string word;
  std::string result;
  std::string line(indent, ' ');
  while (words >> word)
  {
    if (line.size() > indent && line.size() + 1 + word.size() > width)
    {
      result += line + "\n";
      line.assign(indent, ' ');
    }
    line += (line.size() > indent ? " " : "") + word;
  }
  return result + line;
}

void ConsolePerson::tell(const std::string & key, const std::string & text)
{
  print_line(wrapped(text, 2));
  if (other_ != nullptr)
  {
    other_->tell(key, text);
  }
}

std::string ConsolePerson::ask(const commission::Question & question)
{
  const std::string prompt =
    fmt::format("{} [{}]", question.text, fmt::join(question.choices, " / "));
  std::string answer;
  if (other_ != nullptr)
  {
    answer = other_->ask(question);
  }
  else if (const auto found = answers_.find(question.key); found != answers_.end())
  {
    answer = found->second;
  }
  else if (question.confirmation && confirms_)
  {
    answer = question.choices.front();
  }
  else
  {
    return ask_terminal(question);
  }
  const auto & choices = question.choices;
  if (std::find(choices.begin(), choices.end(), answer) == choices.end())
  {
    unanswered_ = fmt::format(
      "'{}' is no answer to {}, expected one of: {}", answer, question.key,
      fmt::join(choices, ", "));
    return "";
  }
  print_line(wrapped(prompt + " > " + answer, 2));
  return answer;
}

/// A line of standard input; nothing at its end, or when a signal came. Byte by byte, because
/// poll() knows nothing of what a stream has read ahead.
std::optional<std::string> ConsolePerson::read_line() const
{
  std::string line;
  while (line.size() < 1000)
  {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    const int ready = poll(&input, 1, 50);
    if (interrupted_())
    {
      return std::nullopt;
    }
    char byte = 0;
    if (ready <= 0)
    {
      continue;
    }
    if (read(STDIN_FILENO, &byte, 1) != 1)
    {
      return std::nullopt;
    }
    if (byte == '\n')
    {
      break;
    }
    line += byte;
  }
  return line;
}

std::string ConsolePerson::ask_terminal(const commission::Question & question)
{
  for (;;)
  {
    std::fputs(
      wrapped(fmt::format("{} [{}] > ", question.text, fmt::join(question.choices, " / ")), 2)
        .c_str(),
      stdout);
    std::fputs(" ", stdout);
    std::fflush(stdout);
    const std::optional<std::string> line = read_line();
    if (!line)
    {
      print_line("");
      unanswered_ = fmt::format(
        "nobody answered {}: give an answer at the terminal or in --answers", question.key);
      return "";
    }
    std::string answer = *line;
    while (!answer.empty() && std::isspace(static_cast<unsigned char>(answer.back())) != 0)
    {
      answer.pop_back();
    }
    const auto & choices = question.choices;
    if (std::find(choices.begin(), choices.end(), answer) != choices.end())
    {
      return answer;
    }
    print_line(fmt::format("  Please answer with one of: {}", fmt::join(choices, ", ")));
  }
}

}  // namespace fivebar_control::cli
