// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fivebar_control/daemon/web_server.hpp"

namespace fivebar_control
{

/// A request that has arrived as a whole, and its connection.
struct ArrivedRequest
{
  int socket = -1;
  std::string text;
  std::string peer;  ///< address of the other end
};

/// Whether the bytes that have arrived are a whole request, one that never will be, or neither yet.
enum class Arrival
{
  partial,
  whole,
  refused,
  too_large,
};
/// For a whole POST without a length the header that says so is added: it has no body.
Arrival judge_request(std::string & text, std::size_t largest_body = WebLimits{}.largest_body);
/// Whether it asks for a stop.
bool is_stop_request(const std::string & text);

/// Accepts connections and collects requests without ever waiting for one of them, so that neither
/// idle nor slow connections delay another one. Requests for a stop are served by a thread of their
/// own, all others by a few threads.
class RequestLane
{
public:
  using Serve = std::function<void(const ArrivedRequest &)>;

  /// Binds at once; throws InputError. `serve` answers; the connection is closed after it.
  RequestLane(const WebAddress & address, const WebLimits & limits, Serve serve);
  ~RequestLane();
  RequestLane(const RequestLane &) = delete;
  RequestLane & operator=(const RequestLane &) = delete;

  int port() const { return port_; }
  void start();
  void stop();

private:
  struct Connection
  {
    ArrivedRequest request;
    std::chrono::steady_clock::time_point since;
  };
  /// Requests that wait for a thread.
  struct Queue
  {
    std::mutex mutex;
    std::condition_variable filled;
    std::deque<ArrivedRequest> requests;
    bool closed = false;
  };

  void accept_and_collect();
  void accept_all();
  void collect(Connection & connection, bool & done);
  void serve_from(Queue & queue);
  static bool enqueue(Queue & queue, ArrivedRequest request);
  static void close_queue(Queue & queue);

  WebLimits limits_;
  Serve serve_;
  int listener_ = -1;
  int wake_ = -1;  ///< eventfd that ends the acceptor
  int port_ = 0;
  std::list<Connection> connections_;  ///< of the acceptor, oldest first
  Queue stops_, pages_;
  std::vector<std::thread> threads_;
};

}  // namespace fivebar_control
