// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace fivebar_control
{

/// How one cycle follows the one before.
struct CycleTiming
{
  std::int64_t advance_ns = 0;  ///< by how much the controller's own time goes on
  std::int64_t elapsed_ns = 0;  ///< by how much the clock went on
  bool late = false;
};

/// Decides what a cycle's time stamp means. Between half and one and a half periods after the
/// cycle before, a cycle is on time and counts as exactly one period: jitter of the wake-up does
/// not reach the law, and a run without late cycles is the same to the last bit however it was
/// timed. Later, it is late and the controller's time advances by one and a half periods, never
/// more. Earlier (the cycle after a late one), time advances by what the clock says.
class CycleClock
{
public:
  explicit CycleClock(std::int64_t period_ns) : period_ns_(period_ns) {}

  CycleTiming tick(std::int64_t time_ns)
  {
    const std::int64_t elapsed = started_ ? time_ns - before_ns_ : period_ns_;
    started_ = true;
    before_ns_ = time_ns;
    const std::int64_t longest = period_ns_ + period_ns_ / 2;
    if (elapsed > longest)
    {
      return {longest, elapsed, true};
    }
    if (elapsed >= period_ns_ / 2)
    {
      return {period_ns_, elapsed, false};
    }
    return {elapsed > 0 ? elapsed : 0, elapsed, false};
  }

private:
  std::int64_t period_ns_;
  std::int64_t before_ns_ = 0;
  bool started_ = false;
};

}  // namespace fivebar_control
