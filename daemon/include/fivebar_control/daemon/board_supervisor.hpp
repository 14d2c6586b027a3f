// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/controller/cycle_record.hpp"
#include "fivebar_control/hardware/board_player.hpp"

namespace fivebar_control
{

/// Watches a board that plays: the host's own controller goes through the same cycles with the same
/// measurements, decides nothing, and makes of each cycle the record that a run driven by the host
/// would have. What its guard finds, or volts of the board that are not the law's, end the run.
/// Cycles that did not arrive are bridged; their limit is a time.
class BoardSupervisor
{
public:
  /// The robot's own controller, with the plan set, whose settings come from supervised(). It is
  /// kept.
  BoardSupervisor(
    ControlCore & controller, const MotorHardware & hardware, std::int64_t period_ns, bool align);

  /// The settings of a controller that is fed with what arrived of a board's cycles.
  static ControllerSettings supervised(ControllerSettings settings, std::int64_t period_ns);

  /// The next cycle, and its record.
  CycleRecord take(const BoardCycle & cycle) noexcept;
  /// What was found in it; none if the motion may go on.
  const Finding & finding() const { return finding_; }
  /// Of this kind rather than of the motion.
  bool output_differs() const { return output_differs_; }

private:
  ControlCommand command_for(const serial::Cycle & cycle) const;
  void compare_volts(const CycleRecord & record, const Eigen::Vector2d & wanted);
  void take_verdict(const serial::Cycle & cycle);

  ControlCore & controller_;
  const MotorHardware & hardware_;
  Encoder encoder_;
  std::int64_t period_ns_;
  bool align_;
  bool begun_ = false;
  MotorSample sample_;
  serial::PlayState state_ = serial::PlayState::waiting;
  Eigen::Vector2d volts_ = Eigen::Vector2d::Zero();  ///< V at the motors, the last known
  std::int64_t since_loss_ns_ = 0;
  std::int64_t differing_ns_ = 0;
  bool output_differs_ = false;
  Finding finding_;
};

/// The state of a controller that is in the board's.
ControlState control_state_of(serial::PlayState state);

}  // namespace fivebar_control
