// SPDX-License-Identifier: Apache-2.0
#include "board_run.hpp"

#include "fivebar_control/daemon/board_program.hpp"
#include "fivebar_control/daemon/play_on_board.hpp"
#include "loop_in_thread.hpp"

namespace fivebar_control::cli
{

void run_on_board(
  const BoardRun & run, MotorHardware & hardware, RecordSink & sink, RunRequests & requests,
  RunStatus & status, RunReport & report)
{
  ControlCore supervisor(
    run.robot, BoardSupervisor::supervised(run.settings, run.period_ns), run.mode, run.period_ns);
  supervisor.set_plan(&run.playable);
  const auto program = [&](std::int64_t board_period_ns) {
    return make_board_program(
      run.robot, run.settings, run.mode, run.plan.samples, hardware, board_period_ns, run.align);
  };
  BoardRunOutcome outcome;
  const BoardRunOptions options{run.period_ns, run.align};
  work_in_thread(
    [&] {
      outcome = play_on_board(supervisor, hardware, program, sink, requests, status, options);
    },
    !run.fast, requests, status, run.realtime, report.realtime);
  report.outcome = outcome.run;
  report.board = outcome.statistics;
  report.explanation = outcome.explanation;
  report.paced = false;  // the host has no cycles of its own
}

}  // namespace fivebar_control::cli
