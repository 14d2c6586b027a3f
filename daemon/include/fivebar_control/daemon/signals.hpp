// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/daemon/run_loop.hpp"

namespace fivebar_control
{

/// While it lives, SIGINT, SIGTERM and SIGHUP count as interrupts of a run, and SIGPIPE is ignored:
/// a closed terminal must not kill the process while the motors have volts. One at a time.
class RunSignals
{
public:
  explicit RunSignals(RunRequests & requests);
  ~RunSignals();
  RunSignals(const RunSignals &) = delete;
  RunSignals & operator=(const RunSignals &) = delete;

  /// The first signal that came, 0 if none.
  int first() const;
};

}  // namespace fivebar_control
