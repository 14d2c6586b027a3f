// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/web_options.hpp"

#include <arpa/inet.h>
#include <fmt/core.h>

#include <charconv>

#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{

WebAddress checked_address(const WebOptions & options)
{
  const std::string & text = options.address;
  const std::size_t colon = text.find(':');
  WebAddress address;
  address.host = text.substr(0, colon) == "localhost" ? "127.0.0.1" : text.substr(0, colon);
  in_addr number{};
  const char * end = text.data() + text.size();
  const char * digits = colon == std::string::npos ? end : text.data() + colon + 1;
  const auto [stop, error] = std::from_chars(digits, end, address.port);
  if (
    inet_pton(AF_INET, address.host.c_str(), &number) != 1 || error != std::errc() || stop != end ||
    address.port < 0 || address.port > 65535)
  {
    throw InputError(fmt::format(
      "{}: expected ADDRESS:PORT such as 127.0.0.1:8080, got '{}'", options.option, text));
  }
  const bool loopback = (ntohl(number.s_addr) >> 24U) == 127U;
  if (!loopback && !options.remote)
  {
    throw InputError(fmt::format(
      "{}: other machines can reach {}, and whoever opens the page can stop the robot: use "
      "127.0.0.1, or add --web-remote and a token",
      options.option, text));
  }
  if (!loopback && options.token.size() < 16)
  {
    throw InputError(
      "--web-remote: needs a token of at least 16 characters (--web-token, or the environment's "
      "FIVEBAR_WEB_TOKEN)");
  }
  return address;
}

bool same_token(const std::string & given, const std::string & expected)
{
  unsigned difference = given.size() == expected.size() ? 0U : 1U;
  for (std::size_t i = 0; i < given.size() && !expected.empty(); ++i)
  {
    const char other = expected[i % expected.size()];
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(other);
  }
  return difference == 0U;
}

bool is_own_host(const std::string & host_header, const WebAddress & address)
{
  const std::string port = fmt::format(":{}", address.port);
  return host_header == address.host + port || host_header == "localhost" + port;
}

}  // namespace fivebar_control
