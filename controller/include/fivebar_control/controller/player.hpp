// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "fivebar_control/plan/playable_plan.hpp"

namespace fivebar_control
{

/// Runs through a plan. Counts in nanoseconds, so that equal cycles give equal times for ever.
class Player
{
public:
  void rewind(const PlayablePlan & plan)
  {
    plan_ = &plan;
    time_ns_ = 0;
    interval_ = 0;
  }
  /// With another plan, which began when this one was at `begin_ns`.
  void go_on(const PlayablePlan & plan, std::int64_t begin_ns)
  {
    plan_ = &plan;
    time_ns_ -= begin_ns;
    interval_ = 0;
  }
  void advance(std::int64_t by_ns) { time_ns_ += by_ns; }
  std::int64_t time_ns() const { return time_ns_; }
  double time() const { return static_cast<double>(time_ns_) * 1e-9; }
  bool at_end() const { return time() > plan_->duration() + 1e-10; }
  Reference reference() { return plan_->at(time(), interval_); }

private:
  const PlayablePlan * plan_ = nullptr;
  std::int64_t time_ns_ = 0;
  std::size_t interval_ = 0;
};

}  // namespace fivebar_control
