// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "command_tree.hpp"

namespace fivebar_control::cli
{

/// fivebar.1, for man(7) of groff and mandoc.
std::string manual_page(const ProgramText & program);

/// fivebar-COMMAND.1.
std::string manual_page(const CommandText & command);

}  // namespace fivebar_control::cli
