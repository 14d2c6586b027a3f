// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fivebar_control
{

enum class ControlState
{
  idle,      ///< zero volts
  aligning,  ///< moving to the plan's start
  playing,
  stopping,  ///< asked to stop: the path's time slows down to a halt
  holding,   ///< at rest at the end of the path
  relaxing,  ///< the holding volts fade out
  fault,     ///< zero volts until reset
  homing,    ///< before the controller's first cycle: the hardware finds out where its links are
};

/// Whether there is a reference that the robot is to be at.
constexpr bool has_reference(ControlState state)
{
  return state != ControlState::idle && state != ControlState::fault &&
         state != ControlState::homing;
}

const char * to_string(ControlState state);

enum class ControlCommand
{
  none,
  start,  ///< play the plan; refused away from its start
  align_and_start,
  stop,   ///< smoothly: slow down, hold, relax
  abort,  ///< zero volts in this cycle, back to idle
  reset,  ///< leave the fault state
};

}  // namespace fivebar_control
