// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fivebar_control/hardware/motor_hardware.hpp"
#include "fivebar_control/hardware/play_protocol.hpp"

namespace fivebar_control
{

/// Everything that a board needs to play a plan by itself.
struct BoardProgram
{
  serial::Settings settings{};
  std::vector<serial::Node> nodes;  ///< the path, and behind it the volts that bring it to rest
  std::uint32_t path_nodes = 0;
  std::uint64_t length_ns = 0;  ///< of the path
  bool align = false;
};

/// One period of the board, as it told.
struct BoardCycle
{
  std::uint32_t number = 0;  ///< from 0
  serial::Cycle cycle;
  bool lost = false;  ///< it did not arrive, asked for again or not
};

/// How the conversation with a board that plays was.
struct PlayStatistics
{
  std::int64_t cycles = 0;          ///< that arrived
  std::int64_t lost_cycles = 0;     ///< that did not
  std::int64_t repeats = 0;         ///< cycles asked for again
  std::int64_t resent = 0;          ///< times that the stream of nodes went back
  std::int64_t unanswered = 0;      ///< questions
  std::int64_t longest_gap_ns = 0;  ///< of the host: between two of its own exchanges
  double least_buffered = 0.0;      ///< s of the path that the board had ahead, at the least
  double drift = 0.0;               ///< of the board's clock against ours, relative
};

/// A device that plays by itself: the host sends the program ahead of time and watches. All calls
/// from one thread; none of them throws.
class BoardPlayer
{
public:
  virtual ~BoardPlayer() = default;
  /// Of its control law.
  virtual std::int64_t period_ns() const noexcept = 0;
  /// Begins to send a program, which the caller keeps alive.
  virtual HardwareError load(const BoardProgram & program) noexcept = 0;
  /// Sends what is due and hears what has come, until there is something new or the deadline
  /// (CLOCK_MONOTONIC) is over. Starts the motion as soon as the board has enough of it.
  /// An error ends the conversation: the board stops by itself.
  virtual HardwareError exchange(std::int64_t deadline_ns) noexcept = 0;
  /// The next period in its order; false if it has not come yet.
  virtual bool next(BoardCycle & cycle) noexcept = 0;
  /// Slow down along the path, hold, relax.
  virtual void stop() noexcept = 0;
  /// The board is at zero volts, and every cycle of the motion has been given out.
  virtual bool is_over() const noexcept = 0;
  /// What the board said last.
  virtual const serial::Progress & progress() const noexcept = 0;
  virtual const PlayStatistics & play_statistics() const noexcept = 0;
};

}  // namespace fivebar_control
