// SPDX-License-Identifier: Apache-2.0
#include "request_lane.hpp"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/signal_sets.hpp"

namespace fivebar_control
{
namespace
{

using Clock = std::chrono::steady_clock;

constexpr std::size_t largest_header = 8192;
constexpr std::size_t most_waiting = 64;  // requests for pages that no thread serves yet
constexpr auto patience = std::chrono::seconds(10);
constexpr int accepts_at_once = 64;

constexpr std::string_view too_large_answer =
  "HTTP/1.1 413 Payload Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/// The value of a header, found without regard to case; none if it is not there.
std::string_view header_value(std::string_view head, std::string_view name)
{
  for (std::size_t line = head.find("\r\n"); line != std::string_view::npos;
       line = head.find("\r\n", line + 2))
  {
    const std::string_view rest = head.substr(line + 2);
    const bool same = rest.size() > name.size() && rest[name.size()] == ':' &&
                      std::equal(name.begin(), name.end(), rest.begin(), [](char a, char b) {
                        return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
                      });
    if (same)
    {
      std::string_view value = rest.substr(name.size() + 1);
      value = value.substr(0, value.find("\r\n"));
      value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
      return value;
    }
  }
  return {};
}

/// The library compresses for whoever takes it, and takes longer for that than a page of this
/// machine waits for the whole answer otherwise.
void forget_encodings(std::string & text)
{
  const std::size_t end = text.find("\r\n\r\n");
  const std::string_view head(text.data(), std::min(end, text.size() - 2) + 2);
  const std::string_view value = header_value(head, "accept-encoding");
  if (!value.empty())
  {
    const auto from = static_cast<std::size_t>(value.data() - text.data());
    text.replace(from, value.size(), value.size(), ' ');
  }
}

/// What stops the robot shall not wait for compilers. Where that is not allowed, it stays as it is.
void ask_for_priority()
{
  sched_param parameters{};
  parameters.sched_priority = 5;
  pthread_setschedparam(pthread_self(), SCHED_RR, &parameters);
}

}  // namespace

bool is_stop_request(const std::string & text)
{
  return text.starts_with("POST /emergency-stop") || text.starts_with("POST /smooth-stop");
}

Arrival judge_request(std::string & text, std::size_t largest_body)
{
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string::npos)
  {
    return text.size() > largest_header ? Arrival::refused : Arrival::partial;
  }
  if (end > largest_header)
  {
    return Arrival::refused;
  }
  const std::string_view head(text.data(), end + 2);
  const std::string_view length = header_value(head, "content-length");
  if (length.empty())
  {
    const bool bare = text.starts_with("POST ") && header_value(head, "transfer-encoding").empty();
    if (bare)
    {
      text.insert(end + 2, "Content-Length: 0\r\n");
    }
    return Arrival::whole;
  }
  std::size_t body = 0;
  const auto [stop, error] = std::from_chars(length.data(), length.data() + length.size(), body);
  if (error != std::errc() || stop != length.data() + length.size())
  {
    return Arrival::refused;
  }
  if (body > largest_body)
  {
    return Arrival::too_large;
  }
  return text.size() >= end + 4 + body ? Arrival::whole : Arrival::partial;
}

RequestLane::RequestLane(const WebAddress & address, const WebLimits & limits, Serve serve)
: limits_(limits), serve_(std::move(serve))
{
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(static_cast<std::uint16_t>(address.port));
  inet_pton(AF_INET, address.host.c_str(), &place.sin_addr);
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  const int yes = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  socklen_t size = sizeof(place);
  const bool bound = bind(listener_, reinterpret_cast<sockaddr *>(&place), size) == 0 &&
                     listen(listener_, 512) == 0 &&
                     getsockname(listener_, reinterpret_cast<sockaddr *>(&place), &size) == 0;
  if (!bound)
  {
    close(listener_);
    close(wake_);
    throw InputError(
      fmt::format("{}:{} cannot be bound: is it in use?", address.host, address.port));
  }
  port_ = ntohs(place.sin_port);
}

RequestLane::~RequestLane()
{
  stop();
  close(listener_);
  close(wake_);
}

void RequestLane::start()
{
  const SignalsLeftToOthers by_the_threads;  // they inherit it
  threads_.emplace_back([this] {
    ask_for_priority();
    accept_and_collect();
  });
  threads_.emplace_back([this] {
    ask_for_priority();
    serve_from(stops_);
  });
  for (int i = 0; i < limits_.page_threads; ++i)
  {
    threads_.emplace_back([this] { serve_from(pages_); });
  }
}

void RequestLane::stop()
{
  const std::uint64_t one = 1;
  if (write(wake_, &one, sizeof(one)) < 0)
  {
    // It is full: the acceptor has been told.
  }
  close_queue(stops_);
  close_queue(pages_);
  for (std::thread & thread : threads_)
  {
    thread.join();
  }
  threads_.clear();
}

void RequestLane::close_queue(Queue & queue)
{
  const std::lock_guard lock(queue.mutex);
  queue.closed = true;
  queue.filled.notify_all();
}

bool RequestLane::enqueue(Queue & queue, ArrivedRequest request)
{
  const std::lock_guard lock(queue.mutex);
  if (queue.closed || queue.requests.size() >= most_waiting)
  {
    return false;
  }
  queue.requests.push_back(std::move(request));
  queue.filled.notify_one();
  return true;
}

void RequestLane::serve_from(Queue & queue)
{
  for (;;)
  {
    std::unique_lock lock(queue.mutex);
    queue.filled.wait(lock, [&] { return queue.closed || !queue.requests.empty(); });
    if (queue.requests.empty())
    {
      return;
    }
    const ArrivedRequest request = std::move(queue.requests.front());
    queue.requests.pop_front();
    lock.unlock();
    serve_(request);
    shutdown(request.socket, SHUT_WR);
    close(request.socket);
  }
}

void RequestLane::accept_all()
{
  for (int i = 0; i < accepts_at_once; ++i)
  {
    sockaddr_in from{};
    socklen_t size = sizeof(from);
    const int socket =
      accept4(listener_, reinterpret_cast<sockaddr *>(&from), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0)
    {
      return;
    }
    std::array<char, INET_ADDRSTRLEN> name{};
    inet_ntop(AF_INET, &from.sin_addr, name.data(), name.size());
    if (connections_.size() >= limits_.most_connections)
    {
      close(connections_.front().request.socket);
      connections_.pop_front();
    }
    connections_.push_back({{socket, {}, name.data()}, Clock::now()});
  }
}

/// Takes what has arrived; `done` when the connection is no longer the acceptor's.
void RequestLane::collect(Connection & connection, bool & done)
{
  ArrivedRequest & request = connection.request;
  std::array<char, 65536> bytes;
  const ssize_t got = recv(request.socket, bytes.data(), bytes.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR))
  {
    return;
  }
  Arrival arrival = Arrival::refused;
  if (got > 0)
  {
    request.text.append(bytes.data(), static_cast<std::size_t>(got));
    arrival = judge_request(request.text, limits_.largest_body);
  }
  if (arrival == Arrival::partial)
  {
    return;
  }
  done = true;
  const int socket = request.socket;
  if (arrival == Arrival::too_large)
  {
    send(socket, too_large_answer.data(), too_large_answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  if (arrival == Arrival::whole)
  {
    forget_encodings(request.text);
  }
  Queue & queue = is_stop_request(request.text) ? stops_ : pages_;
  if (arrival != Arrival::whole || !enqueue(queue, std::move(request)))
  {
    close(socket);
  }
}

void RequestLane::accept_and_collect()
{
  std::vector<pollfd> polled;
  for (;;)
  {
    polled.assign({{wake_, POLLIN, 0}, {listener_, POLLIN, 0}});
    for (const Connection & connection : connections_)
    {
      polled.push_back({connection.request.socket, POLLIN, 0});
    }
    poll(polled.data(), polled.size(), 1000);
    if ((polled[0].revents & POLLIN) != 0)
    {
      break;
    }
    std::size_t i = 2;
    const Clock::time_point too_old = Clock::now() - patience;
    for (auto connection = connections_.begin(); connection != connections_.end(); ++i)
    {
      bool done = connection->since < too_old;
      if (done)
      {
        close(connection->request.socket);
      }
      else if (polled[i].revents != 0)
      {
        collect(*connection, done);
      }
      connection = done ? connections_.erase(connection) : std::next(connection);
    }
    if ((polled[1].revents & POLLIN) != 0)
    {
      accept_all();
    }
  }
  for (const Connection & connection : connections_)
  {
    close(connection.request.socket);
  }
  connections_.clear();
}

}  // namespace fivebar_control
