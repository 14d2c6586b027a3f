// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/support/message.hpp"

#include <unistd.h>

#include <cerrno>

namespace fivebar_control
{

void say(std::string_view text) noexcept
{
  while (!text.empty())
  {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR)
    {
      continue;
    }
    if (written <= 0)
    {
      return;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace fivebar_control
