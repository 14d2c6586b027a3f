// SPDX-License-Identifier: Apache-2.0
// The emulated board with a clock of its own: real time as long as the machine lets it, and never
// less regular than a microcontroller's timer as seen from the board.
#include "fivebar_control/simulation/emulated_board.hpp"
#include "fivebar_control/support/monotonic_clock.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::int64_t tick_ns = 1'000'000;
constexpr std::int64_t most_behind_ns = 3 * tick_ns;  // further back, the board stood still

}  // namespace

void EmulatedBoard::run_with_own_clock(const std::function<bool()> & stop)
{
  std::int64_t next_ns = monotonic_now_ns();
  while (!stop())
  {
    sleep_until_ns(next_ns);
    cycle(now_ns_ + tick_ns);
    next_ns += tick_ns;
    const std::int64_t now_ns = monotonic_now_ns();
    next_ns = now_ns - next_ns > most_behind_ns ? now_ns : next_ns;
  }
  terminal_.close();
}

}  // namespace fivebar_control
