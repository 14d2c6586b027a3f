// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace fivebar_control::cli
{

struct DemoArguments
{
  int robots = 24;
  std::uint64_t seed = 1;
  std::string hardware = "sim";
};

/// Robots that nobody knows, each with one run to identify it and one to learn from on each of
/// three curves. Prints the table; writes it as JSON if a path is given. 3 if a case stays below
/// 1,000.
int run_learning_demo(const DemoArguments & arguments, const std::string & json_path);

}  // namespace fivebar_control::cli
