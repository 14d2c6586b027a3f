// SPDX-License-Identifier: Apache-2.0
#include "monitor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fivebar_control::soak
{
namespace
{

std::size_t index(ControlState state) { return static_cast<std::size_t>(state); }

bool is_off(ControlState state)
{
  return state == ControlState::idle || state == ControlState::fault;
}

/// Seconds by which the controller's time goes on (docs/control.md, "Time").
double advance_of(std::int64_t elapsed_ns, std::int64_t period_ns)
{
  const double period = static_cast<double>(period_ns) * 1e-9;
  if (elapsed_ns > period_ns + period_ns / 2)
  {
    return 1.5 * period;
  }
  return elapsed_ns >= period_ns / 2 ? period : static_cast<double>(elapsed_ns) * 1e-9;
}

template <class T, std::size_t n>
void add_all(std::array<T, n> & to, const std::array<T, n> & from)
{
  for (std::size_t i = 0; i < n; ++i)
  {
    to[i] += from[i];
  }
}

}  // namespace

void Counters::add(const Counters & other)
{
  runs += other.runs;
  cycles += other.cycles;
  late_cycles += other.late_cycles;
  limited_cycles += other.limited_cycles;
  clean_runs += other.clean_runs;
  foreign_plans += other.foreign_plans;
  latched_starts += other.latched_starts;
  for (std::size_t i = 0; i < state_count; ++i)
  {
    add_all(transitions[i], other.transitions[i]);
  }
  add_all(reasons, other.reasons);
  add_all(ends, other.ends);
  add_all(troubles, other.troubles);
  checksum += other.checksum;
}

bool is_documented(ControlState from, ControlState to, bool aborted)
{
  using S = ControlState;
  if (from == to || to == S::fault)
  {
    return true;
  }
  switch (from)
  {
    case S::idle:
      return to == S::playing || to == S::aligning;
    case S::aligning:
      return to == S::playing || to == S::stopping || (aborted && to == S::idle);
    case S::playing:
      return to == S::holding || to == S::stopping || (aborted && to == S::idle);
    case S::stopping:
      return to == S::holding || (aborted && to == S::idle);
    case S::holding:
      return to == S::relaxing || (aborted && to == S::idle);
    case S::relaxing:
      return to == S::idle;
    case S::fault:
      return false;  // no command of a run resets
    case S::homing:
      return false;  // is no state of the controller
  }
  return false;
}

void Monitor::begin_run(RunRequests & requests, ControlState state)
{
  requests_ = &requests;
  cycle_ = 0;
  state_ = state;
  volts_.setZero();
  plan_time_ = 0.0;
  failed_reads_ = failed_writes_ = late_in_a_row_ = 0;
}

void Monitor::take(const CycleRecord & record) noexcept
{
  const bool aborted = requests_->interrupts.load(std::memory_order_relaxed) >= 2;
  const std::int64_t now = clock_.now_ns();
  const double advance = cycle_ == 0 ? 1.5e-9 * static_cast<double>(promises_.period_ns)
                                     : advance_of(now - time_before_, promises_.period_ns);
  require(is_documented(state_, record.state, aborted), "the state changed along no known edge");
  check_volts(record, aborted, advance);
  check_reaction(record);
  if (cycle_ == 0)
  {
    require(is_off(record.state) || record.plan_time == 0.0, "a plan did not start at zero");
  }
  else
  {
    require(record.plan_time >= plan_time_, "the plan's time went back");
    require(record.plan_time <= plan_time_ + advance + 2e-9, "the plan's time jumped");
  }
  require(cycle_ < promises_.longest_run, "a run does not end");
  if (violation_ != nullptr)
  {
    requests_->interrupts.store(2, std::memory_order_relaxed);
  }

  ++counters.cycles;
  counters.late_cycles += record.late ? 1 : 0;
  counters.limited_cycles += record.limited ? 1 : 0;
  ++counters.transitions[index(state_)][index(record.state)];
  for (std::size_t i = 0; i < 2; ++i)
  {
    counters.checksum =
      (counters.checksum ^ std::bit_cast<std::uint64_t>(record.volts[i])) * 0x100000001B3U;
    counters.checksum =
      (counters.checksum ^ std::bit_cast<std::uint64_t>(record.angle[i])) * 0x100000001B3U;
  }
  counters.checksum = (counters.checksum ^ index(record.state)) * 0x100000001B3U;
  state_ = record.state;
  volts_ = record.volts;
  plan_time_ = record.plan_time;
  time_before_ = now;
  ++cycle_;
}

void Monitor::check_volts(const CycleRecord & record, bool aborted, double advance) noexcept
{
  const double period = static_cast<double>(promises_.period_ns) * 1e-9;
  const double change = promises_.voltage_rate * std::min(advance, period) * (1.0 + 1e-12) + 1e-13;
  const bool may_drop =
    record.state == ControlState::fault || (aborted && record.state == ControlState::idle);
  for (std::size_t i = 0; i < 2; ++i)
  {
    const double volts = record.volts[i];
    require(std::isfinite(volts), "volts that are NaN or infinite");
    require(std::abs(volts) <= promises_.voltage, "volts beyond the limit");
    require(volts == 0.0 || !is_off(record.state), "volts in idle or fault");
    require(may_drop || std::abs(volts - volts_[i]) <= change, "volts faster than the slew limit");
  }
}

/// What must end in a fault, and by when.
void Monitor::check_reaction(const CycleRecord & record) noexcept
{
  const bool fault = record.state == ControlState::fault;
  require(fault || !robot_.device_bad(), "a fault of the board was ignored");
  failed_reads_ = record.read_good ? 0 : failed_reads_ + 1;
  require(fault || failed_reads_ < promises_.failures_in_a_row, "failed reads were ignored");
  // A failed write is known one cycle later.
  require(fault || failed_writes_ < promises_.failures_in_a_row, "failed writes were ignored");
  failed_writes_ = record.write_good ? 0 : failed_writes_ + 1;
  late_in_a_row_ = record.late && !is_off(state_) ? late_in_a_row_ + 1 : 0;
  require(
    is_off(record.state) || late_in_a_row_ < promises_.late_cycles_in_a_row,
    "late cycles were ignored");
}

void Monitor::end_run(const RunOutcome & outcome, const std::vector<Incident> & incidents)
{
  ++counters.runs;
  ++counters.ends[static_cast<std::size_t>(outcome.end)];
  if (outcome.finding)
  {
    ++counters.reasons[static_cast<std::size_t>(outcome.finding.reason)];
  }
  for (const Incident & incident : incidents)
  {
    if (incident.from < cycle_)
    {
      ++counters.troubles[static_cast<std::size_t>(incident.trouble)];
    }
  }
}

}  // namespace fivebar_control::soak
