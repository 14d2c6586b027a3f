#pragma once

#include <string>

namespace CLI
{
class App;
class ParseError;
}  // namespace CLI

namespace fivebar_control::cli
{

/// One sentence: what is wrong with the command line, what was probably meant, where to read on.
std::string usage_error(const CLI::App & program, const CLI::ParseError & error);

}  // namespace fivebar_control::cli
