// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fivebar_control::cli
{

struct DemoArguments
{
  int robots = 24;
  std::uint64_t seed = 1;
  std::string hardware = "sim";
  bool outside = false;  ///< the table of effects outside the model instead
  bool rigid = false;    ///< there: identification keeps to rigid drives and ideal amplifiers
  std::vector<std::string> plants;  ///< there: these plant files instead of those shipped
};

/// Robots that nobody knows, each with one run to identify it and one to learn from on each of
/// three curves. Prints the table; writes it as JSON if a path is given. 3 if a case stays below
/// 1,000.
int run_learning_demo(const DemoArguments & arguments, const std::string & json_path);

/// Plants with effects that the model does not know, curve B: identified, planned for, learned with
/// all guards. Prints the table, writes it as JSON if a path is given. 3 if learning leaves a robot
/// worse than it was, at the encoder or, where the encoders see P, in truth.
int run_outside_demo(const DemoArguments & arguments, const std::string & json_path);

}  // namespace fivebar_control::cli
