// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/plan/plan.hpp"
#include "fivebar_control/plan/playable_plan.hpp"
#include "run_report.hpp"

namespace fivebar_control::cli
{

/// What a board is to play.
struct BoardRun
{
  const RobotModel & robot;
  const ControllerSettings & settings;
  const Plan & plan;
  const PlayablePlan & playable;
  ControlMode mode;
  std::int64_t period_ns;
  bool align;
  bool fast;
  const RealtimeOptions & realtime;
};

/// The board plays, the host supervises; its outcome is the report's.
void run_on_board(
  const BoardRun & run, MotorHardware & hardware, RecordSink & sink, RunRequests & requests,
  RunStatus & status, RunReport & report);

}  // namespace fivebar_control::cli
