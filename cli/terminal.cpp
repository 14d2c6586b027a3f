// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace fivebar_control::cli
{
namespace
{

std::string_view environment(const char * name)
{
  const char * value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool wants_colour(std::FILE * stream)
{
  if (!environment("NO_COLOR").empty())
  {
    return false;
  }
  const std::string_view force = environment("CLICOLOR_FORCE");
  return (!force.empty() && force != "0") || rewrites_lines(stream);
}

int code_of(Colour colour)
{
  switch (colour)
  {
    case Colour::red:
      return 31;
    case Colour::green:
      return 32;
    case Colour::yellow:
      return 33;
  }
  return 0;
}

}  // namespace

std::string coloured(std::FILE * stream, Colour colour, std::string_view text)
{
  return wants_colour(stream) ? fmt::format("\033[{}m{}\033[0m", code_of(colour), text)
                              : std::string(text);
}

std::string one_line(std::string_view message)
{
  std::string line(message);
  for (char & letter : line)
  {
    const auto code = static_cast<unsigned char>(letter);
    if (code < 0x20 || code == 0x7f)
    {
      letter = letter == '\n' || letter == '\t' ? ' ' : '?';
    }
  }
  return line;
}

bool rewrites_lines(std::FILE * stream)
{
  const std::string_view terminal = environment("TERM");
  return isatty(fileno(stream)) == 1 && !terminal.empty() && terminal != "dumb";
}

std::string printable(std::string text)
{
  std::replace_if(
    text.begin(), text.end(),
    [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return text;
}

}  // namespace fivebar_control::cli
