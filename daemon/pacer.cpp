// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/pacer.hpp"

#include "fivebar_control/support/monotonic_clock.hpp"

namespace fivebar_control
{

std::int64_t Pacer::begin_cycle()
{
  if (!paced_)
  {
    return 0;
  }
  if (scheduled_ns_ == 0)
  {
    scheduled_ns_ = monotonic_now_ns() + period_ns_;
  }
  else
  {
    scheduled_ns_ += period_ns_;
    const std::int64_t behind = monotonic_now_ns() - scheduled_ns_;
    if (behind > 0)
    {
      const std::int64_t missed = behind / period_ns_ + 1;
      scheduled_ns_ += missed * period_ns_;
      timing_.skipped_periods += missed;
    }
  }
  sleep_until_ns(scheduled_ns_);
  const std::int64_t now = monotonic_now_ns();
  timing_.wake_up.add(now - scheduled_ns_);
  if (begin_ns_ != 0)
  {
    timing_.cycle_time.add(now - begin_ns_);
  }
  timing_.late_cycles += clock_.tick(now).late ? 1 : 0;
  begin_ns_ = now;
  return now;
}

void Pacer::end_cycle()
{
  if (paced_)
  {
    timing_.work.add(monotonic_now_ns() - begin_ns_);
  }
}

}  // namespace fivebar_control
