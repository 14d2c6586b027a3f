// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <string_view>
#include <utility>

namespace fivebar_control
{

/// Writes to standard error, whatever has become of it: closed, full, a pipe without a reader.
/// A message that cannot be written is lost; nothing is thrown, and nobody is killed for it. For
/// every program that drives motors: there a message must never decide what happens next.
void say(std::string_view text) noexcept;

template <class... Values>
void say(fmt::format_string<Values...> format, Values &&... values) noexcept
{
  try
  {
    say(std::string_view(fmt::format(format, std::forward<Values>(values)...)));
  }
  catch (...)
  {
    say(std::string_view("fivebar: (a message could not be put together)\n"));
  }
}

}  // namespace fivebar_control
