// SPDX-License-Identifier: Apache-2.0
#include "loop_in_thread.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "fivebar_control/daemon/loop_thread.hpp"
#include "fivebar_control/support/message.hpp"
#include "fivebar_control/support/signal_sets.hpp"
#include "terminal.hpp"

namespace fivebar_control::cli
{
namespace
{

/// One line on a terminal, rewritten ten times a second until the run is over.
void show_status(const RunStatus & status)
{
  const bool terminal = rewrites_lines(stderr);
  int turn = 0;
  while (!status.finished.load(std::memory_order_acquire))
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (terminal && ++turn % 10 == 0)
    {
      say(
        "\r{:<9} t = {:8.2f} s   error {:7.4f} rad   {:+6.2f} V {:+6.2f} V   late {} ",
        status.homing.load() ? "homing" : to_string(status.state.load()), status.time.load(),
        status.error.load(), status.volts[0].load(), status.volts[1].load(),
        status.late_cycles.load());
    }
  }
  if (terminal && turn >= 10)
  {
    say("\r{:<90}\r", "");
  }
}

}  // namespace

void work_in_thread(
  const std::function<void()> & work, bool paced, RunRequests & requests, const RunStatus & status,
  const RealtimeOptions & scheduling, RealtimeReport & realtime)
{
  std::atomic<bool> prepared{false};
  LoopThread loop(requests, [&] {
    if (paced)
    {
      lock_memory(realtime);
      enter_realtime(scheduling, realtime);
    }
    prepared.store(true, std::memory_order_release);
    work();
  });
  const SignalsLeftToOthers to_the_loop;
  while (!prepared.load(std::memory_order_acquire))
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (const std::string & complaint : realtime.complaints)
  {
    say("fivebar: {}\n", complaint);
  }
  show_status(status);
  loop.join();
}

RunOutcome run_in_thread(
  ControlCore & controller, MotorHardware & hardware, Pacer & pacer, RecordSink & sink,
  RunRequests & requests, RunStatus & status, const RunOptions & options,
  const RealtimeOptions & scheduling, RealtimeReport & realtime)
{
  RunOutcome outcome;
  work_in_thread(
    [&] { outcome = run_loop(controller, hardware, pacer, sink, requests, status, options); },
    pacer.paced(), requests, status, scheduling, realtime);
  return outcome;
}

}  // namespace fivebar_control::cli
