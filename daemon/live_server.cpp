// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/live_server.hpp"

#include <fmt/core.h>
#include <httplib.h>

#include <cstring>

#include "fivebar_control/daemon/live_routes.hpp"
#include "request_lane.hpp"

namespace fivebar_control
{
namespace
{

using Clock = std::chrono::steady_clock;

/// A whole request to the library, and its answer to the socket.
class AnswerStream : public httplib::Stream
{
public:
  AnswerStream(const ArrivedRequest & request, int port)
  : request_(request), rest_(request.text), port_(port)
  {
    const timeval patience{1, 0};
    // A page that stopped reading shall not find minutes of old messages later.
    const int send_buffer = 16384;
    const int flags = fcntl(request.socket, F_GETFL);
    fcntl(request.socket, F_SETFL, flags & ~O_NONBLOCK);
    setsockopt(request.socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    setsockopt(request.socket, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof(send_buffer));
  }

  // Not all of these are members of the base in every version of the library.
  // NOLINTBEGIN(modernize-use-override,cppcoreguidelines-explicit-virtual-functions)
  bool is_readable() const { return !rest_.empty(); }
  bool is_writable() const { return !broken_; }
  bool wait_readable() const { return !rest_.empty(); }
  bool wait_writable() const { return !broken_; }
  time_t duration() const { return 0; }
  ssize_t read(char * target, std::size_t size)
  {
    const std::size_t count = std::min(size, rest_.size());
    std::memcpy(target, rest_.data(), count);
    rest_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char * text, std::size_t size)
  {
    const ssize_t sent = broken_ ? -1 : send(request_.socket, text, size, MSG_NOSIGNAL);
    broken_ = broken_ || sent <= 0;
    return sent;
  }
  void get_remote_ip_and_port(std::string & ip, int & port) const
  {
    ip = request_.peer;
    port = 0;
  }
  void get_local_ip_and_port(std::string & ip, int & port) const
  {
    ip = "127.0.0.1";
    port = port_;
  }
  socket_t socket() const { return request_.socket; }
  // NOLINTEND(modernize-use-override,cppcoreguidelines-explicit-virtual-functions)

private:
  const ArrivedRequest & request_;
  std::string_view rest_;
  int port_;
  bool broken_ = false;
};

/// The library's parser and routes, without its sockets and threads.
class Answers : public httplib::Server
{
public:
  Answers()
  {
    svr_sock_ = 0;  // or it would take itself for one that is being closed, and end all streams
    set_payload_max_length(4096);
  }
  ~Answers() override { close(); }
  void close() { svr_sock_ = INVALID_SOCKET; }

  void answer(const ArrivedRequest & request, int port)
  {
    AnswerStream stream(request, port);
    bool closed = false;
    process(*this, stream, request.peer, port, closed);
  }

private:
  /// Newer versions of the library are told the addresses, older ones ask the connection. A
  /// template, so that the form that does not exist is not looked at.
  template <class Self>
  static void process(
    Self & self, AnswerStream & stream, const std::string & peer, int port, bool & closed)
  {
    if constexpr (requires { self.process_request(stream, true, closed, nullptr); })
    {
      self.process_request(
        stream, true, closed, [&peer](httplib::Request & request) { request.remote_addr = peer; });
    }
    else
    {
      self.process_request(stream, peer, 0, "127.0.0.1", port, true, closed, nullptr);
    }
  }
};

}  // namespace

struct LiveServer::State
{
  State(
    const WebOptions & options, LiveFeed & feed, RunRequests & requests, const RunStatus & status,
    std::string scene)
  : routes(options, feed, requests, status, std::move(scene)),
    lane(routes.address(), [this](const ArrivedRequest & request) {
      answers.answer(request, lane.port());
    })
  {
  }

  LiveRoutes routes;
  Answers answers;
  RequestLane lane;
};

LiveServer::LiveServer(
  const WebOptions & options, LiveFeed & feed, RunRequests & requests, const RunStatus & status,
  std::string scene)
: state_(std::make_unique<State>(options, feed, requests, status, std::move(scene)))
{
  state_->routes.set_port(state_->lane.port());
  state_->routes.attach(state_->answers);
  state_->lane.start();
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
  state_->answers.close();
  state_->lane.stop();
}

std::string LiveServer::url() const
{
  const WebAddress & a = state_->routes.address();
  // The token itself is not printed: terminals are logged.
  const char * query = state_->routes.wants_token() ? "?token=..." : "";
  return fmt::format("http://{}:{}/{}", a.host, a.port, query);
}

int LiveServer::port() const { return state_->lane.port(); }
int LiveServer::spectators() const { return state_->routes.spectators(); }
bool LiveServer::stopped() const { return state_->routes.stopped(); }

}  // namespace fivebar_control
