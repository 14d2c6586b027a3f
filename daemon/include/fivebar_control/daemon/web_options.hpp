// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fivebar_control
{

/// What the user asked of a page that we serve.
struct WebOptions
{
  bool wanted = false;
  std::string address = "127.0.0.1:8080";  ///< port 0: any that is free
  bool remote = false;                     ///< the user wants other machines to see it
  std::string token;                       ///< what they must know
  bool wait = false;                       ///< begin when a page is open
  std::string option = "--web";            ///< what messages call the address
};

struct WebAddress
{
  std::string host;  ///< numeric IPv4
  int port = 0;
};

/// The address to bind. Throws InputError for what is no address, and for one that other machines
/// can reach unless the user said so and set a token of at least 16 characters: whoever opens the
/// page can stop the robot.
WebAddress checked_address(const WebOptions & options);

/// Compares in a time that does not tell how much of it was right.
bool same_token(const std::string & given, const std::string & expected);

/// Does a request's Host header name this machine as `address` does? Refusing other names keeps
/// foreign web pages that point their own name at this machine from reading along.
bool is_own_host(const std::string & host_header, const WebAddress & address);

}  // namespace fivebar_control
