// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/program.hpp"

namespace fivebar_control::test
{

inline const std::string config = std::string(FIVEBAR_SOURCE_DIR) + "/config/";

/// Tests about all commands, whatever they are: the help screens say which there are.
class CommandLineTest : public ProgramTest
{
protected:
  std::vector<std::string> commands() const
  {
    std::vector<std::string> names;
    std::istringstream screen(run({}).err);
    bool after_usage = false;
    for (std::string line; std::getline(screen, line);)
    {
      after_usage = after_usage || line.starts_with("Usage:");
      if (line == "Examples:")
      {
        break;
      }
      if (after_usage && line.starts_with("  "))
      {
        names.push_back(line.substr(2, line.find(' ', 2) - 2));
      }
    }
    return names;
  }

  /// "--robot", "--json", ... of a command.
  std::set<std::string> options(const std::string & command) const
  {
    std::set<std::string> names;
    const std::string help = run({command, "--help"}).out;
    const std::regex label("\n  (?:-\\w, )?(--[a-z-]+)");
    for (auto i = std::sregex_iterator(help.begin(), help.end(), label);
         i != std::sregex_iterator(); ++i)
    {
      names.insert((*i)[1]);
    }
    return names;
  }

  bool has(const std::string & program) const
  {
    return run_program("sh", {"-c", "command -v " + program}).exit_code == 0;
  }
};

}  // namespace fivebar_control::test
