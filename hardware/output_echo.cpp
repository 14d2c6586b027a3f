// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/hardware/output_echo.hpp"

#include <fmt/core.h>

#include <cstdlib>

namespace fivebar_control
{

void OutputEcho::reset() noexcept { *this = OutputEcho(); }

void OutputEcho::told(
  std::uint16_t sequence, const std::array<std::int16_t, 2> & millivolts) noexcept
{
  commands_[sequence % commands_.size()] = {sequence, true, millivolts};
}

void OutputEcho::reported(
  std::uint16_t sequence, const std::array<std::int16_t, 2> & millivolts) noexcept
{
  const Command & command = commands_[sequence % commands_.size()];
  if (!command.valid || command.sequence != sequence || differs())
  {
    return;  // the first finding stays
  }
  int wrong = -1;
  for (std::size_t i = 0; i < 2; ++i)
  {
    if (std::abs(millivolts[i] - command.millivolts[i]) > tolerance)
    {
      wrong = static_cast<int>(i);
      told_ = command.millivolts[i];
      has_ = millivolts[i];
    }
  }
  wrong_in_a_row_ = wrong < 0 ? 0 : wrong_in_a_row_ + 1;
  motor_ = wrong < 0 ? motor_ : wrong;
}

std::string OutputEcho::explanation() const
{
  return differs() ? fmt::format(
                       "motor {} was told {:.3f} V, the board gives {:.3f} V", motor_ == 0 ? 1 : 4,
                       1e-3 * told_, 1e-3 * has_)
                   : "";
}

}  // namespace fivebar_control
