// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <string>
#include <vector>

#include "terminal.hpp"

namespace fivebar_control::cli
{

/// What a reader of a file had to decide, one line each, where errors are printed.
inline void print_notes(const std::vector<std::string> & notes)
{
  for (const std::string & note : notes)
  {
    fmt::print(stderr, "{}: {}\n", coloured(stderr, Colour::yellow, "note"), one_line(note));
  }
}

}  // namespace fivebar_control::cli
