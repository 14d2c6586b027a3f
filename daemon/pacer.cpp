#include "pacer.hpp"

#include <cerrno>
#include <ctime>

namespace fivebar_control
{
namespace
{

std::int64_t monotonic_now()
{
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

void sleep_until(std::int64_t time_ns)
{
  const timespec when{
    static_cast<time_t>(time_ns / 1'000'000'000), static_cast<long>(time_ns % 1'000'000'000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, nullptr) == EINTR)
  {
  }
}

}  // namespace

std::int64_t Pacer::begin_cycle()
{
  if (!paced_)
  {
    return 0;
  }
  if (scheduled_ns_ == 0)
  {
    scheduled_ns_ = monotonic_now() + period_ns_;
  }
  else
  {
    scheduled_ns_ += period_ns_;
    const std::int64_t behind = monotonic_now() - scheduled_ns_;
    if (behind > 0)
    {
      const std::int64_t missed = behind / period_ns_ + 1;
      scheduled_ns_ += missed * period_ns_;
      timing_.skipped_periods += missed;
    }
  }
  sleep_until(scheduled_ns_);
  const std::int64_t now = monotonic_now();
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
    timing_.work.add(monotonic_now() - begin_ns_);
  }
}

}  // namespace fivebar_control
