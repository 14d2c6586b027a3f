// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "fivebar_control/daemon/web_options.hpp"

namespace httplib
{
class Server;
struct Request;
struct Response;
}  // namespace httplib

namespace fivebar_control
{

/// Who may ask a web server of ours for anything, and who may change something. Requests that are
/// refused are answered with 403 and a line that says why.
class WebGate
{
public:
  /// Throws InputError as checked_address() does.
  explicit WebGate(WebOptions options);

  const WebAddress & address() const { return address_; }
  /// For a port that was chosen when binding; before the first request.
  void set_port(int port) { address_.port = port; }
  /// What to open in a browser, with dots for the token: terminals are logged.
  std::string url() const;

  /// Every request to `server` must name this machine, or have the token where there is one.
  void guard(httplib::Server & server) const;
  /// For what changes something: has a page of ours asked? A foreign page can neither set the
  /// header 'X-Fivebar: `word`' nor hide its origin.
  bool from_own_page(
    const httplib::Request & request, httplib::Response & answer, const char * word) const;
  /// A page of ours, which may load and send only what `policy` allows.
  static void send_page(
    httplib::Response & answer, std::string_view page, const std::string & policy);

private:
  bool admit(const httplib::Request & request, httplib::Response & answer) const;

  WebOptions options_;
  WebAddress address_;
};

}  // namespace fivebar_control
