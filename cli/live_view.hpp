// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "fivebar_control/daemon/run_loop.hpp"
#include "fivebar_control/daemon/web_options.hpp"
#include "fivebar_control/plan/plan.hpp"

namespace fivebar_control::cli
{

void add_web_options(CLI::App & command, WebOptions & options);

/// The live view of one run: feed and server, or nothing if none was asked for.
class LiveView
{
public:
  /// Throws InputError if the address cannot be used, or if this build has no live view. Records go
  /// on to `next`, if given.
  LiveView(
    const WebOptions & options, const RobotModel & robot, const Plan & plan, RunRequests & requests,
    const RunStatus & status, RecordSink * next);
  ~LiveView();

  /// What the loop shall hand its records to; may be null.
  RecordSink * sink() const;
  /// Returns when a page is open, or the run has been interrupted; at once unless asked to wait.
  void wait_for_page() const;
  /// Tells the pages how it ended and closes.
  void finish(const std::string & ending);

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fivebar_control::cli
