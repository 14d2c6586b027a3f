// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/plan/plan.hpp"

namespace fivebar_control::cli
{

/// The files that fivebar reads.
enum class FileKind
{
  robot,
  curve,
  controller,
  plant,
  hardware,
  mechanism,
  balance,
  fault_script,
  ros_parameters,
  plan,
  run_log,
  response,
  voltages,
};

/// As sentences name it: "run log".
const char * to_string(FileKind kind);

/// Tells the kind of a file from its content alone. Throws InputError if it is none of them or
/// cannot be told; `name` stands for the file in messages.
FileKind kind_of(const std::string & text, const std::string & name);

/// load_plan(); a file of another kind is refused by its kind, with what to do with it.
Plan load_plan_to_play(const std::string & path);

}  // namespace fivebar_control::cli
