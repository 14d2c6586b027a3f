// SPDX-License-Identifier: Apache-2.0
// HTTP requests into the live view, without sockets: whatever they are, they are answered or
// dropped, and none of them reads or stops anything without naming this machine or the token.
#include "fivebar_control/daemon/live_routes.hpp"
#include "known_robot.hpp"
#include "request_lane.hpp"
#include "targets.hpp"

#include <httplib.h>  // after Eigen, which its macros disturb

#include <algorithm>
#include <cstring>

namespace fivebar_control::fuzz
{
namespace
{

constexpr const char * token = "a token of 24 characters";

/// One connection: what it will send, and what it was answered.
class Connection : public httplib::Stream
{
public:
  explicit Connection(Bytes bytes) : rest_(bytes) {}

  // Not all of these are members of the base in every version of the library.
  // NOLINTBEGIN(modernize-use-override,cppcoreguidelines-explicit-virtual-functions)
  bool is_readable() const { return !rest_.empty(); }
  bool is_writable() const { return true; }
  bool wait_readable() const { return !rest_.empty(); }
  bool wait_writable() const { return true; }
  time_t duration() const { return 0; }
  ssize_t read(char * target, std::size_t size)
  {
    const std::size_t count = std::min(size, rest_.size());
    if (count > 0)
    {
      std::memcpy(target, rest_.data(), count);
      rest_ = rest_.subspan(count);
    }
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char * text, std::size_t size)
  {
    answer_.append(text, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string & ip, int & port) const
  {
    ip = "127.0.0.1";
    port = 40000;
  }
  void get_local_ip_and_port(std::string & ip, int & port) const
  {
    ip = "127.0.0.1";
    port = 8080;
  }
  socket_t socket() const { return 0; }
  // NOLINTEND(modernize-use-override,cppcoreguidelines-explicit-virtual-functions)

  /// Perhaps after a "100 Continue".
  bool was_served() const { return answer_.find("HTTP/1.1 2") != std::string::npos; }

private:
  Bytes rest_;
  std::string answer_;
};

/// The live view of a run that has ended: no answer waits for anything.
class View : public httplib::Server
{
public:
  explicit View(const WebOptions & options)
  : feed_(known_robot(), status_, nullptr), routes_(options, feed_, requests_, status_, "{}")
  {
    status_.finished = true;
    feed_.finish("ended");
    routes_.attach(*this);
    set_payload_max_length(4096);
  }

  bool serves(Bytes bytes)
  {
    Connection connection(bytes);
    bool closed = false;
    process(*this, connection, closed);
    return connection.was_served();
  }

  int interrupts() { return requests_.interrupts.exchange(0); }

private:
  /// Newer versions of the library are told the addresses, older ones ask the connection. A
  /// template, so that the form that does not exist is not looked at.
  template <class Self>
  static void process(Self & self, Connection & connection, bool & closed)
  {
    const std::string here = "127.0.0.1";
    if constexpr (requires { self.process_request(connection, true, closed, nullptr); })
    {
      self.process_request(connection, true, closed, nullptr);
    }
    else
    {
      self.process_request(connection, here, 40000, here, 8080, true, closed, nullptr);
    }
  }

  RunStatus status_;
  RunRequests requests_;
  LiveFeed feed_;
  LiveRoutes routes_;
};

WebOptions with_token()
{
  WebOptions options;
  options.token = token;
  return options;
}

}  // namespace

void web_request(Bytes bytes)
{
  static View local{WebOptions{}};
  static View protected_view{with_token()};

  const std::string text = text_of(bytes);
  std::string collected = text;
  if (judge_request(collected) == Arrival::whole)
  {
    require(collected.find("\r\n\r\n") != std::string::npos, "a whole request has a whole header");
    require(collected.size() >= text.size(), "and nothing of it is lost");
  }
  const auto has = [&text](const char * part) { return text.find(part) != std::string::npos; };
  // The library decodes percent signs wherever they stand.
  const bool names_us = has("127.0.0.1:8080") || has("localhost:8080") || has("%");
  const bool knows_token = has(token) || has("+") || has("%");

  require(!local.serves(bytes) || names_us, "only requests that name this machine are served");
  require(local.interrupts() == 0 || names_us, "only those stop the robot");
  require(!protected_view.serves(bytes) || knows_token, "only those with the token are served");
  require(protected_view.interrupts() == 0 || knows_token, "only those with the token stop it");
}

}  // namespace fivebar_control::fuzz
