// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "fivebar_control/controller/cycle_clock.hpp"
#include "fivebar_control/support/time_histogram.hpp"

namespace fivebar_control
{

/// What the loop's timing was like.
struct LoopTiming
{
  TimeHistogram wake_up;             ///< ns from the scheduled to the actual beginning of a cycle
  TimeHistogram cycle_time;          ///< ns between the beginnings of cycles
  TimeHistogram work;                ///< ns from the beginning of a cycle to its end
  std::int64_t late_cycles = 0;      ///< more than one and a half periods after the one before
  std::int64_t skipped_periods = 0;  ///< beginnings that had passed before the loop could sleep
};

/// Lets cycles begin one period apart on CLOCK_MONOTONIC, at absolute times so that errors do not
/// add up; periods that have already passed are skipped. Not paced, it does not wait at all.
class Pacer
{
public:
  Pacer(std::int64_t period_ns, bool paced)
  : period_ns_(period_ns), paced_(paced), clock_(period_ns)
  {
  }
  virtual ~Pacer() = default;

  bool paced() const { return paced_; }

  /// Waits for the next cycle; returns its beginning on CLOCK_MONOTONIC (0 if not paced).
  virtual std::int64_t begin_cycle();
  void end_cycle();

  const LoopTiming & timing() const { return timing_; }

private:
  std::int64_t period_ns_;
  bool paced_;
  CycleClock clock_;
  std::int64_t scheduled_ns_ = 0;
  std::int64_t begin_ns_ = 0;
  LoopTiming timing_;
};

}  // namespace fivebar_control
