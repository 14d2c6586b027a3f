// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/live_server.hpp"

#include <thread>

#include "fivebar_control/daemon/live_routes.hpp"
#include "fivebar_control/daemon/web_server.hpp"

namespace fivebar_control
{

struct LiveServer::State
{
  State(
    const WebOptions & options, LiveFeed & feed, RunRequests & requests, const RunStatus & status,
    std::string scene)
  : routes(options, feed, requests, status, std::move(scene)), server(routes.gate().address(), {})
  {
  }

  LiveRoutes routes;
  WebServer server;
};

LiveServer::LiveServer(
  const WebOptions & options, LiveFeed & feed, RunRequests & requests, const RunStatus & status,
  std::string scene)
: state_(std::make_unique<State>(options, feed, requests, status, std::move(scene)))
{
  state_->routes.gate().set_port(state_->server.port());
  state_->server.start([this](httplib::Server & server) { state_->routes.attach(server); });
}

LiveServer::~LiveServer()
{
  using Clock = std::chrono::steady_clock;
  // A spectator that reads gets the last message before its connection closes.
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(300);
  while (state_->routes.spectators() > 0 && Clock::now() < end)
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  state_->routes.close();
  state_->server.stop();
}

std::string LiveServer::url() const { return state_->routes.gate().url(); }
int LiveServer::port() const { return state_->server.port(); }
int LiveServer::spectators() const { return state_->routes.spectators(); }
bool LiveServer::stopped() const { return state_->routes.stopped(); }

}  // namespace fivebar_control
