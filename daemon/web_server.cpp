// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/web_server.hpp"

#include <httplib.h>
#include <netinet/tcp.h>

#include <cstring>

#include "request_lane.hpp"

namespace fivebar_control
{
namespace
{

/// A whole request to the library, and its answer to the socket.
class AnswerStream : public httplib::Stream
{
public:
  AnswerStream(const ArrivedRequest & request, int port, int send_buffer)
  : request_(request), rest_(request.text), port_(port)
  {
    const timeval patience{1, 0};
    const int yes = 1;
    const int flags = fcntl(request.socket, F_GETFL);
    fcntl(request.socket, F_SETFL, flags & ~O_NONBLOCK);
    setsockopt(request.socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    setsockopt(request.socket, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof(send_buffer));
    setsockopt(request.socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
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
  explicit Answers(const WebLimits & limits) : send_buffer_(limits.send_buffer)
  {
    svr_sock_ = 0;  // or it would take itself for one that is being closed, and end all streams
    set_payload_max_length(limits.largest_body);
  }
  ~Answers() override { close(); }
  void close() { svr_sock_ = INVALID_SOCKET; }

  void answer(const ArrivedRequest & request, int port)
  {
    AnswerStream stream(request, port, send_buffer_);
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

  int send_buffer_;
};

}  // namespace

struct WebServer::State
{
  State(const WebAddress & address, const WebLimits & limits)
  : answers(limits), lane(address, limits, [this](const ArrivedRequest & request) {
      answers.answer(request, lane.port());
    })
  {
  }

  Answers answers;
  RequestLane lane;
};

WebServer::WebServer(const WebAddress & address, const WebLimits & limits)
: state_(std::make_unique<State>(address, limits))
{
}

WebServer::~WebServer() { stop(); }

int WebServer::port() const { return state_->lane.port(); }

void WebServer::start(const std::function<void(httplib::Server &)> & attach)
{
  attach(state_->answers);
  state_->lane.start();
}

void WebServer::stop()
{
  state_->answers.close();
  state_->lane.stop();
}

}  // namespace fivebar_control
