// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "command_tree.hpp"

namespace fivebar_control::cli
{

// Scripts that complete commands, options, fixed values and files on the Tab key.
std::string bash_completion(const ProgramText & program);
std::string zsh_completion(const ProgramText & program);
std::string fish_completion(const ProgramText & program);

}  // namespace fivebar_control::cli
