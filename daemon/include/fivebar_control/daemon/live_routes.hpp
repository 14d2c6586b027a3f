// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>

#include "fivebar_control/daemon/live_feed.hpp"
#include "fivebar_control/daemon/web_gate.hpp"

namespace fivebar_control
{

/// What the live view answers to each request: the page, the messages of a feed as server-sent
/// events, and the two stop buttons. Knows no sockets and no threads.
class LiveRoutes
{
public:
  /// `scene` is JSON: the robot's pivots, the planned path, limits.
  LiveRoutes(
    const WebOptions & options, LiveFeed & feed, RunRequests & requests, const RunStatus & status,
    std::string scene);

  void attach(httplib::Server & server);
  WebGate & gate() { return gate_; }
  /// Ends the streams of all spectators.
  void close() { closing_.store(true); }

  /// Pages that are connected now.
  int spectators() const { return spectators_.load(); }
  /// Was the run stopped from a page?
  bool stopped() const { return stopped_.load(); }

private:
  /// Has the page itself asked? A foreign page cannot read what ours was given.
  bool has_key(const httplib::Request & request, httplib::Response & answer) const;
  void send_events(httplib::Response & answer);
  bool wait_for_zero(double & milliseconds) const;
  void stop(int interrupts, const httplib::Request & request, httplib::Response & answer);

  WebGate gate_;
  LiveFeed & feed_;
  RunRequests & requests_;
  const RunStatus & status_;
  std::string scene_;
  std::string key_;  ///< what our page knows from /scene
  std::atomic<int> spectators_{0};
  std::atomic<bool> stopped_{false};
  std::atomic<bool> closing_{false};
};

}  // namespace fivebar_control
