// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "fivebar_control/daemon/realtime.hpp"
#include "fivebar_control/daemon/run_loop.hpp"

namespace fivebar_control::cli
{

/// The loop in a thread of its own, so that only the loop has real-time priority; a line on the
/// terminal says meanwhile what it does.
RunOutcome run_in_thread(
  ControlCore & controller, MotorHardware & hardware, Pacer & pacer, RecordSink & sink,
  RunRequests & requests, RunStatus & status, const RunOptions & options,
  const RealtimeOptions & scheduling, RealtimeReport & realtime);
/// The same for any other work that ends with status.finished; in real time if `paced`.
void work_in_thread(
  const std::function<void()> & work, bool paced, RunRequests & requests, const RunStatus & status,
  const RealtimeOptions & scheduling, RealtimeReport & realtime);

}  // namespace fivebar_control::cli
