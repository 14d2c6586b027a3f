// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/live_server.hpp"

#include <fmt/core.h>
#include <httplib.h>

#include "fivebar_control/daemon/live_routes.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/signal_sets.hpp"

namespace fivebar_control
{
namespace
{

// A page that reads nothing holds one thread; the others are left for the stop buttons.
constexpr std::size_t server_threads = 12;
constexpr auto socket_patience = std::chrono::seconds(1);

using Clock = std::chrono::steady_clock;

}  // namespace

struct LiveServer::State
{
  LiveRoutes routes;
  httplib::Server server;
  std::thread thread;
};

LiveServer::LiveServer(
  const WebOptions & options, LiveFeed & feed, RunRequests & requests, const RunStatus & status,
  std::string scene)
: state_(new State{{options, feed, requests, status, std::move(scene)}, {}, {}})
{
  State & s = *state_;
  s.routes.attach(s.server);
  s.server.new_task_queue = [] { return new httplib::ThreadPool(server_threads); };
  s.server.set_keep_alive_max_count(1);  // an idle connection must not hold a thread
  s.server.set_read_timeout(socket_patience);
  s.server.set_write_timeout(socket_patience);
  s.server.set_payload_max_length(4096);
  // The library's default lets a second server share the port.
  s.server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    // A page that stopped reading shall not find minutes of old messages later.
    const int send_buffer = 16384;
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof(send_buffer));
  });
  const WebAddress wanted = s.routes.address();
  const int port = wanted.port == 0 ? s.server.bind_to_any_port(wanted.host)
                   : s.server.bind_to_port(wanted.host, wanted.port) ? wanted.port
                                                                     : -1;
  if (port <= 0)
  {
    throw InputError(fmt::format("--web: {} cannot be bound: is it in use?", options.address));
  }
  s.routes.set_port(port);
  s.thread = std::thread([&s] {
    leave_signals_to_others();  // normal priority: a stop button must not wait for other work
    s.server.listen_after_bind();
  });
}

LiveServer::~LiveServer()
{
  // A spectator that reads gets the last message before its connection closes.
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(300);
  while (state_->routes.spectators() > 0 && Clock::now() < end)
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  state_->routes.close();
  while (!state_->server.is_running())  // stopping it before it has begun would not stop it
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  state_->server.stop();
  state_->thread.join();
}

std::string LiveServer::url() const
{
  const WebAddress & a = state_->routes.address();
  // The token itself is not printed: terminals are logged.
  const char * query = state_->routes.wants_token() ? "?token=..." : "";
  return fmt::format("http://{}:{}/{}", a.host, a.port, query);
}

int LiveServer::spectators() const { return state_->routes.spectators(); }
bool LiveServer::stopped() const { return state_->routes.stopped(); }

}  // namespace fivebar_control
