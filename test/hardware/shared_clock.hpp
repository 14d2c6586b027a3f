// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace fivebar_control::test
{

// The program under test and the emulated board have one clock, which is nobody's machine time: it
// goes on only while the program waits. What they say to each other about it; what they say to each
// other about motors goes through a real pseudo-terminal.

struct ClockQuestion
{
  std::int64_t now_ns = 0;
  std::int64_t until_ns = 0;
  std::uint64_t written = 0;  ///< bytes that the program has ever sent through the line
  bool until_it_sends = false;
};

struct ClockAnswer
{
  std::int64_t now_ns = 0;
  std::uint64_t sent = 0;  ///< bytes that the board has ever sent through the line
  bool line_is_up = true;
};

}  // namespace fivebar_control::test
