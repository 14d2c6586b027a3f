// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "fivebar_control/daemon/web_options.hpp"

namespace httplib
{
class Server;
}

namespace fivebar_control
{

/// What a web server of ours lets others take of it.
struct WebLimits
{
  std::size_t largest_body = 4096;     ///< bytes of a request
  std::size_t most_connections = 800;  ///< that have not sent a whole request: the oldest goes
  int page_threads = 12;               ///< a page that reads nothing holds one
  int send_buffer = 16384;             ///< bytes that a page may be behind
};

/// Answers HTTP requests on one address with the routes of an httplib::Server. Nobody waits for
/// idle or slow connections, and POST /emergency-stop and /smooth-stop have a thread to themselves.
class WebServer
{
public:
  /// Binds at once; throws InputError if the address is taken.
  WebServer(const WebAddress & address, const WebLimits & limits);
  ~WebServer();

  /// That it is bound to.
  int port() const;
  /// Answers from now on, with the routes that `attach` adds.
  void start(const std::function<void(httplib::Server &)> & attach);
  /// Answers that wait for something must have been told to end.
  void stop();

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fivebar_control
