// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/hardware/board_player.hpp"
#include "fivebar_control/hardware/program_stream.hpp"

namespace fivebar_control
{

class SerialBoard;

/// The second level of a SerialBoard: a ProgramStream on its line.
class SerialPlayer : public BoardPlayer, private FrameSender
{
public:
  explicit SerialPlayer(SerialBoard & board) : board_(board) {}

  std::int64_t period_ns() const noexcept override
  {
    return 1000 * static_cast<std::int64_t>(abilities_.period_us);
  }
  HardwareError load(const BoardProgram & program) noexcept override;
  HardwareError exchange(std::int64_t deadline_ns) noexcept override;
  bool next(BoardCycle & cycle) noexcept override { return stream_.next(cycle); }
  void stop() noexcept override { stream_.stop(); }
  bool is_over() const noexcept override { return stream_.is_over(); }
  const serial::Progress & progress() const noexcept override { return stream_.progress(); }
  const PlayStatistics & play_statistics() const noexcept override;

  /// After the handshake; false if the board does not say what it can do.
  bool find_out() noexcept;
  /// Whether the payload was one of the second level.
  bool hear(std::span<const std::uint8_t> payload, std::int64_t now_ns) noexcept;
  void hear(const serial::State & state) noexcept;

private:
  std::uint16_t next_sequence() noexcept override;
  bool send(const serial::Frame & frame) noexcept override;
  HardwareError exchange_in_lock_step() noexcept;
  HardwareError judge(std::int64_t now_ns) noexcept;

  SerialBoard & board_;
  ProgramStream stream_;
  serial::Abilities abilities_;
  PlayStatistics statistics_;
  bool has_abilities_ = false;
  bool heard_ = false;      ///< something, since it was last asked
  bool restarted_ = false;  ///< the board no longer knows of the motion
  std::int64_t exchanged_ns_ = 0;
  std::int64_t silence_ns_ = 0;  ///< of the board, while we were listening
  std::int64_t longest_gap_ns_ = 0;
};

}  // namespace fivebar_control
