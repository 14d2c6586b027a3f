// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

namespace fivebar_control::test
{

/// What the installed xacro makes of these arguments.
inline std::string described(const std::string & share, const std::string & arguments)
{
  const std::string command = "xacro " + share + "/description/fivebar.urdf.xacro " + arguments;
  FILE * pipe = popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> block{};
  for (std::size_t count = 1; pipe != nullptr && count > 0;)
  {
    count = fread(block.data(), 1, block.size(), pipe);
    text.append(block.data(), count);
  }
  EXPECT_TRUE(pipe != nullptr && pclose(pipe) == 0) << command;
  return text;
}

}  // namespace fivebar_control::test
