// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "fivebar_control/controller/control_core.hpp"
#include "fivebar_control/ros/compatibility.hpp"
#include "fivebar_control/runs/run_end.hpp"
#include "fivebar_control/runs/tracking_score.hpp"

namespace fivebar_control
{

/// What the outside asks of the real-time side. Plan and log stay alive until the run's end has
/// been reported.
struct RunRequest
{
  ControlCommand command = ControlCommand::none;
  std::uint64_t run = 0;  ///< number of the run that it starts or stops
  ControlMode mode = ControlMode::feedforward_and_feedback;
  const PlayablePlan * plan = nullptr;
  RecordSink * log = nullptr;  ///< takes every cycle of the run; may be null
};

/// What the real-time side tells the outside: now and then how it goes, and always that a run has
/// ended.
struct RunNews
{
  std::uint64_t run = 0;
  bool ended = false;
  RunEnd ending = RunEnd::finished;
  Finding finding;      ///< of a refusal or fault
  TrackingScore score;  ///< at the end
  ControlState state = ControlState::idle;
  double plan_time = 0.0;                           ///< s
  Eigen::Vector2d error = Eigen::Vector2d::Zero();  ///< rad
  Eigen::Vector2d volts = Eigen::Vector2d::Zero();  ///< V
  std::uint64_t late_cycles = 0;
};

/// The only data that both sides touch. Requests have one producer (the callbacks of the
/// controller's node, which exclude each other), news have one consumer (the same).
struct Handover
{
  compatibility::LockFreeQueue<RunRequest, 16> requests;
  compatibility::LockFreeQueue<RunNews, 64> news;
  std::atomic<bool> active{false};
};

}  // namespace fivebar_control
