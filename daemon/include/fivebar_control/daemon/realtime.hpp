// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace fivebar_control
{

struct RealtimeOptions
{
  int priority = 80;  ///< SCHED_FIFO; 0: leave the scheduling alone
  int cpu = -1;       ///< core to stay on; -1: any
};

/// What the machine granted, and one sentence for each thing that it did not.
struct RealtimeReport
{
  bool fifo = false;
  bool pinned = false;
  bool memory_locked = false;
  bool awake = false;  ///< processors are kept from sleeping so deeply that waking takes long
  std::vector<std::string> complaints;
};

/// Locks all memory that the process has now. Call when everything that the loop uses exists; what
/// other threads allocate later stays unlocked, so that a small limit cannot make them fail.
void lock_memory(RealtimeReport & report);
/// Holds /dev/cpu_dma_latency at zero until the process ends, as cyclictest does.
void stay_awake(RealtimeReport & report);
/// Makes the calling thread a real-time one, keeps the processors awake, and touches its stack so
/// that no page is missing later. Without the permissions it complains into the report and goes on
/// as it was.
void enter_realtime(const RealtimeOptions & options, RealtimeReport & report);

}  // namespace fivebar_control
