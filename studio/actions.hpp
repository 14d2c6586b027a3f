// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "desk.hpp"

namespace fivebar_control
{

/// A command of this program that a page may ask for.
struct ActionCommand
{
  std::vector<std::string> words;    ///< without "fivebar"
  std::vector<std::string> outputs;  ///< files that it writes
  std::string shown;                 ///< the whole line as at a terminal
};

/// The command of a page's question: {"action": "compare", "plan": "b.plan.csv", ...}. There is a
/// fixed table of actions, and files are names in the folder; nothing else of the question gets
/// into a command line. Throws InputError. docs/studio.md has the table.
ActionCommand command_of(const Desk & desk, const nlohmann::json & question);

}  // namespace fivebar_control
