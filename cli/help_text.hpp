// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "command_tree.hpp"

namespace fivebar_control::cli
{

/// The screen of `fivebar` alone: what it is, its commands in groups, examples, where to read on.
std::string overview(const ProgramText & program);

/// The same with the options of the program itself, for `fivebar --help`.
std::string overview_with_options(const ProgramText & program);

/// The screen of `fivebar COMMAND --help`.
std::string command_help(const CommandText & command);

/// What an option does, with its choices, range and default.
std::string explanation(const OptionText & option);

}  // namespace fivebar_control::cli
