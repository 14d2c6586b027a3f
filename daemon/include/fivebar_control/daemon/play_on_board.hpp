// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "fivebar_control/daemon/board_supervisor.hpp"
#include "fivebar_control/daemon/run_loop.hpp"

namespace fivebar_control
{

struct BoardRunOptions
{
  std::int64_t period_ns = 1'000'000;  ///< of the controller; the board must have the same
  bool align = false;
};

struct BoardRunOutcome
{
  RunOutcome run;
  PlayStatistics statistics;
  serial::PlayReason reason = serial::PlayReason::none;  ///< the board's, of its end
  std::string explanation;                               ///< of an end that it did not come to
};

/// As run_loop(), but the board plays, and the host sends, watches and records. `program` makes the
/// board's program once it is known where the links stand; `controller` is the supervisor's.
BoardRunOutcome play_on_board(
  ControlCore & controller, MotorHardware & hardware,
  const std::function<BoardProgram(std::int64_t period_ns)> & program, RecordSink & sink,
  const RunRequests & requests, RunStatus & status, const BoardRunOptions & options);

}  // namespace fivebar_control
