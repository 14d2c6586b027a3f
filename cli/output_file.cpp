// SPDX-License-Identifier: Apache-2.0
#include "output_file.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace fivebar_control::cli
{
namespace
{

/// Standard output, set aside for the one option that asked for it.
struct StandardOutput
{
  std::string option;
  int descriptor = -1;
};

StandardOutput & standard_output()
{
  static StandardOutput the_one;
  return the_one;
}

/// Returns what is wrong, as the checks of options do.
std::string set_aside_for(const std::string & option)
{
  StandardOutput & output = standard_output();
  if (output.option == option)
  {
    return {};
  }
  if (!output.option.empty())
  {
    return fmt::format("standard output is already taken by {}", output.option);
  }
  std::fflush(stdout);
  output.descriptor = dup(STDOUT_FILENO);
  if (output.descriptor < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
  {
    return fmt::format("standard output cannot be used: {}", std::strerror(errno));
  }
  output.option = option;
  return {};
}

}  // namespace

CLI::Option * add_output(
  CLI::App & command, const std::string & name, std::string & path, const std::string & text)
{
  std::string full_text = text;
  full_text.insert(std::min(text.find(" (default"), text.size()), "; '-' is standard output");
  return command.add_option(name, path, full_text)
    ->type_name("FILE")
    ->check([name](const std::string & given) {
      return given == "-" ? set_aside_for(name) : std::string();
    });
}

std::string output_target(const std::string & path)
{
  return path == "-" ? fmt::format("/dev/fd/{}", standard_output().descriptor) : path;
}

std::string output_name(const std::string & path) { return path == "-" ? "standard output" : path; }

}  // namespace fivebar_control::cli
