// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/web_gate.hpp"

#include <fmt/core.h>
#include <httplib.h>

namespace fivebar_control
{
namespace
{

bool refuse(httplib::Response & answer, const std::string & reason)
{
  answer.status = 403;
  answer.set_content(reason + "\n", "text/plain");
  return false;
}

}  // namespace

WebGate::WebGate(WebOptions options)
: options_(std::move(options)), address_(checked_address(options_))
{
}

std::string WebGate::url() const
{
  const char * query = options_.token.empty() ? "" : "?token=...";
  return fmt::format("http://{}:{}/{}", address_.host, address_.port, query);
}

bool WebGate::admit(const httplib::Request & request, httplib::Response & answer) const
{
  if (!options_.token.empty())
  {
    return same_token(request.get_param_value("token"), options_.token) ||
           refuse(answer, "wrong or missing token");
  }
  return is_own_host(request.get_header_value("Host"), address_) || refuse(answer, "wrong host");
}

void WebGate::guard(httplib::Server & server) const
{
  server.set_pre_routing_handler(
    [this](const httplib::Request & request, httplib::Response & answer) {
      using Handled = httplib::Server::HandlerResponse;
      return admit(request, answer) ? Handled::Unhandled : Handled::Handled;
    });
}

bool WebGate::from_own_page(
  const httplib::Request & request, httplib::Response & answer, const char * word) const
{
  if (request.get_header_value("X-Fivebar") != word)
  {
    return refuse(answer, fmt::format("expected the header 'X-Fivebar: {}'", word));
  }
  const std::string origin = request.get_header_value("Origin");
  const std::string host = request.get_header_value("Host");
  return origin.empty() || origin == "http://" + host || origin == "https://" + host ||
         refuse(answer, "asked by a foreign page");
}

void WebGate::send_page(
  httplib::Response & answer, std::string_view page, const std::string & policy)
{
  answer.set_header("Content-Security-Policy", "default-src 'none'; " + policy);
  answer.set_header("Referrer-Policy", "no-referrer");
  answer.set_header("X-Content-Type-Options", "nosniff");
  answer.set_content(page.data(), page.size(), "text/html; charset=utf-8");
}

}  // namespace fivebar_control
