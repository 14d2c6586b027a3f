// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/daemon/realtime.hpp"
#include "fivebar_control/learning/learning_session.hpp"
#include "run_arguments.hpp"

namespace fivebar_control::cli
{

/// `fivebar run --learn N`: what is played, on what, and where the results go.
struct LearningRuns
{
  RunArguments run;
  RealtimeOptions realtime;
  std::string plan, hardware, calibration, json;
  std::string prefix;  ///< of all files that are written
  bool fast = false;
  bool align = false;
  bool homed = false;  ///< the operator says that the first run knows the zero
  SessionOptions session;
};

/// Plays, learns and repeats. Keeps the log and plan of every run and the best plan; exit code.
int run_learning(const LearningRuns & arguments);

}  // namespace fivebar_control::cli
