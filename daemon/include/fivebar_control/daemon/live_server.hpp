// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "fivebar_control/daemon/live_feed.hpp"
#include "fivebar_control/daemon/web_options.hpp"

namespace fivebar_control
{

/// Serves the live page, the messages of a feed as server-sent events, and the two stop buttons.
/// All in threads of its own, of which the stop buttons have one to themselves: no other
/// connection, idle, slow or reading nothing, delays them.
class LiveServer
{
public:
  /// Binds at once; throws InputError if the address is taken. `scene` is JSON: the robot's pivots,
  /// the planned path, limits.
  LiveServer(
    const WebOptions & options, LiveFeed & feed, RunRequests & requests, const RunStatus & status,
    std::string scene);
  ~LiveServer();

  /// That it is bound to.
  int port() const;
  /// What to open in a browser, with dots for the token.
  std::string url() const;
  /// Pages that are connected now.
  int spectators() const;
  /// Was the run stopped from a page?
  bool stopped() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fivebar_control
