// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "fivebar_control/daemon/run_loop.hpp"
#include "incident.hpp"
#include "troubled_robot.hpp"

namespace fivebar_control::soak
{

inline constexpr std::size_t state_count = 8;
inline constexpr std::size_t end_count = 6;

/// What happened, as sums that can be added up in any order.
struct Counters
{
  std::int64_t runs = 0, cycles = 0, late_cycles = 0, limited_cycles = 0;
  std::int64_t clean_runs = 0;      ///< without trouble; all of them must finish
  std::int64_t foreign_plans = 0;   ///< offered, all of them refused
  std::int64_t latched_starts = 0;  ///< attempts to start with a latched fault, all refused
  std::array<std::array<std::int64_t, state_count>, state_count> transitions{};  ///< [from][to]
  std::array<std::int64_t, reason_count> reasons{};                              ///< also refusals
  std::array<std::int64_t, end_count> ends{};
  std::array<std::int64_t, trouble_count> troubles{};  ///< that began within a run
  std::uint64_t checksum = 0;  ///< over volts, angles and states of every cycle

  void add(const Counters & other);
};

/// What a run promises, taken from its settings and not from the controller.
struct Promises
{
  double voltage = 0.0;       ///< V
  double voltage_rate = 0.0;  ///< V/s
  std::int64_t period_ns = 0;
  int failures_in_a_row = 0;
  int late_cycles_in_a_row = 0;
  std::int64_t longest_run = 0;  ///< cycles
};

/// May the state change like this from one cycle to the next (docs/control.md, "States")?
bool is_documented(ControlState from, ControlState to, bool aborted);

/// Sees every cycle of every run and checks what must hold whatever happens. The first violation is
/// kept, and ends the run by an abort.
class Monitor : public RecordSink
{
public:
  Monitor(const Promises & promises, const TroubledRobot & robot, const TroubledClock & clock)
  : promises_(promises), robot_(robot), clock_(clock)
  {
  }
  /// `state` is the controller's at the beginning.
  void begin_run(RunRequests & requests, ControlState state);
  void take(const CycleRecord & record) noexcept override;
  /// Counts how the run ended.
  void end_run(const RunOutcome & outcome, const std::vector<Incident> & incidents);

  void require(bool holds, const char * what) noexcept
  {
    if (!holds && violation_ == nullptr)
    {
      violation_ = what;
      violation_cycle_ = cycle_;
    }
  }
  /// Null if all has held so far.
  const char * violation() const { return violation_; }
  std::int64_t violation_cycle() const { return violation_cycle_; }
  Counters counters;

private:
  void check_volts(const CycleRecord & record, bool aborted, double advance) noexcept;
  void check_reaction(const CycleRecord & record) noexcept;

  Promises promises_;
  const TroubledRobot & robot_;
  const TroubledClock & clock_;
  RunRequests * requests_ = nullptr;
  const char * violation_ = nullptr;
  std::int64_t violation_cycle_ = -1;
  std::int64_t cycle_ = 0;  ///< of the run
  std::int64_t time_before_ = 0;
  ControlState state_ = ControlState::idle;
  Eigen::Vector2d volts_ = Eigen::Vector2d::Zero();
  double plan_time_ = 0.0;
  int failed_reads_ = 0, failed_writes_ = 0, late_in_a_row_ = 0;
};

}  // namespace fivebar_control::soak
