// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/support/errors.hpp"

namespace CLI
{
class App;
class ParseError;
}  // namespace CLI

namespace fivebar_control::cli
{

/// One sentence: what is wrong with the command line, what was probably meant, where to read on.
std::string usage_error(const CLI::App & program, const CLI::ParseError & error);

/// The same for a value that a library refused by its key: "--time-step: ...".
std::string option_error(const InputError & error);

}  // namespace fivebar_control::cli
