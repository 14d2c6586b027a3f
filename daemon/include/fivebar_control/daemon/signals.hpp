// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/daemon/run_loop.hpp"

namespace fivebar_control
{

/// While it lives, every signal that would end or suspend the process counts as an interrupt of a
/// run: SIGINT, SIGTERM, SIGHUP, SIGTSTP and the like as one, SIGQUIT as two. A broken pipe, a full
/// disk and a terminal that must not be written are errors of the call, not of the process. One at
/// a time.
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
