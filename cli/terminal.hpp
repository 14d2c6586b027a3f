// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace fivebar_control::cli
{

enum class Colour
{
  red,
  green,
  yellow,
};

/// The text in this colour where the stream is a terminal that has colours and the user did not
/// object (NO_COLOR); CLICOLOR_FORCE colours files and pipes, too. Otherwise the plain text.
std::string coloured(std::FILE * stream, Colour colour, std::string_view text);

/// Messages quote parts of files: whatever those contain, this is one printable line.
std::string one_line(std::string_view message);

/// Whether a line may be written over again: a terminal that is not as dumb as TERM=dumb says.
bool rewrites_lines(std::FILE * stream);

/// Text of a file, with question marks for what would do something to a terminal.
std::string printable(std::string text);

}  // namespace fivebar_control::cli
