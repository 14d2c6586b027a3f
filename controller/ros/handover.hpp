// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "fivebar_control/controller/control_core.hpp"
#include "fivebar_control/controller/tolerance_watch.hpp"
#include "fivebar_control/ros/compatibility.hpp"
#include "fivebar_control/runs/run_end.hpp"
#include "fivebar_control/runs/tracking_score.hpp"

namespace fivebar_control
{

/// What the outside asks of the real-time side. Plan, gains and log stay alive until the run's end
/// has been reported.
struct RunRequest
{
  ControlCommand command = ControlCommand::none;
  std::uint64_t run = 0;  ///< number of the run that it starts or stops
  /// ns of the plan that is playing at which this one goes on from it; negative: starts at rest.
  std::int64_t takes_over_at = -1;
  ControlMode mode = ControlMode::feedforward_and_feedback;
  const PlayablePlan * plan = nullptr;
  const LoopGains * gains = nullptr;  ///< of feedback along the plan; null where none is wanted
  RecordSink * log = nullptr;         ///< takes every cycle of the run; may be null
  RunTolerances tolerances;
};

/// What the real-time side tells the outside: now and then how it goes, and always that a run has
/// ended.
struct RunNews
{
  std::uint64_t run = 0;
  bool ended = false;
  RunEnd ending = RunEnd::finished;
  bool taken_over = false;  ///< it ended because the next run went on from it
  ToleranceVerdict tolerance = ToleranceVerdict::kept;
  Finding finding;      ///< of a refusal or fault
  TrackingScore score;  ///< at the end
  ControlState state = ControlState::idle;
  std::int64_t time_ns = 0;  ///< on the manager's clock
  double plan_time = 0.0;    ///< s
  Reference reference;
  Eigen::Vector2d angle = Eigen::Vector2d::Zero();  ///< rad, measured
  Eigen::Vector2d speed = Eigen::Vector2d::Zero();  ///< rad/s, estimated
  Eigen::Vector2d volts = Eigen::Vector2d::Zero();  ///< V
  std::uint64_t late_cycles = 0;
  /// Of feedback.method mpc: cycles with a limit in the way, and those that did not finish.
  std::uint64_t bounded_horizons = 0, unfinished_horizons = 0;
};

/// One cycle, for whoever publishes it.
struct StateSample
{
  std::int64_t time_ns = 0;  ///< on the manager's clock
  ControlOutput output;
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();  ///< rad/s, as the hardware reports it
  Finding fault;
  std::int64_t late_cycles = 0;
};

/// One writer, one reader, neither ever waits; what is written is filled where it is read.
template <class T, std::size_t size>
class Ring
{
public:
  /// Where the next element goes; null if the reader is `size` elements behind.
  T * claim()
  {
    const std::size_t at = written_.load(std::memory_order_relaxed);
    return at - read_.load(std::memory_order_acquire) < size ? &slots_[at % size] : nullptr;
  }
  void commit()
  {
    written_.store(written_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  /// The oldest element; null if there is none.
  const T * front() const
  {
    const std::size_t at = read_.load(std::memory_order_relaxed);
    return at != written_.load(std::memory_order_acquire) ? &slots_[at % size] : nullptr;
  }
  void pop() { read_.store(read_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

private:
  std::array<T, size> slots_;
  alignas(64) std::atomic<std::size_t> written_{0};
  alignas(64) std::atomic<std::size_t> read_{0};
};

/// The only data that both sides touch. Requests and settings have one producer each (RunDesk and
/// LiveParameters, which lock among themselves), news and samples one consumer.
struct Handover
{
  compatibility::LockFreeQueue<RunRequest, 16> requests;
  compatibility::LockFreeQueue<RunNews, 64> news;
  compatibility::LockFreeQueue<ControllerSettings, 16> settings;
  Ring<StateSample, 128> samples;
  std::atomic<bool> active{false};
  std::atomic<bool> driving{false};  ///< the motors may have volts
};

}  // namespace fivebar_control
