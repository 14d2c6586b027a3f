// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "fivebar_control/hardware/board_player.hpp"
#include "fivebar_control/hardware/clock_model.hpp"

namespace fivebar_control
{

/// Where a stream's frames go.
class FrameSender
{
public:
  virtual ~FrameSender() = default;
  virtual std::uint16_t next_sequence() noexcept = 0;
  virtual bool send(const serial::Frame & frame) noexcept = 0;
};

/// The host's part of the conversation with a board that plays: settings, then nodes as far as the
/// board has room, the start, more nodes, and the telemetry put in order. It knows no line and no
/// clock: times are the caller's. Nothing here allocates, waits or throws.
class ProgramStream
{
public:
  enum class Phase
  {
    idle,
    configuring,
    filling,
    starting,
    running,
    ending,  ///< the motion is over, telemetry may be missing
    over,
    refused,  ///< the board did not start; its reason is in progress()
  };

  struct Timing
  {
    std::int64_t patience_ns = 60'000'000;        ///< for an answer; then the question is lost
    std::int64_t question_every_ns = 10'000'000;  ///< while nothing presses
  };

  void begin(
    const BoardProgram & program, const serial::Abilities & abilities, std::uint32_t session,
    const Timing & timing);
  /// Sends what is due now.
  void step(std::int64_t now_ns, FrameSender & sender);
  void hear(const serial::Progress & progress, std::int64_t now_ns);
  void hear(const serial::Telemetry & telemetry);
  bool next(BoardCycle & cycle);
  void stop() { stop_asked_ = true; }

  Phase phase() const { return phase_; }
  bool is_over() const { return phase_ == Phase::over || phase_ == Phase::refused; }
  bool is_asking() const { return asked_; }
  /// When step() has something to do again.
  std::int64_t next_step_ns() const { return next_step_ns_; }
  const serial::Progress & progress() const { return progress_; }
  const PlayStatistics & statistics() const { return statistics_; }
  /// Questions in a row without an answer.
  int unanswered() const { return unanswered_; }

private:
  static constexpr std::uint32_t window = 256;  ///< cycles that may be out of order

  void send_settings(FrameSender & sender) const;
  void send_nodes(FrameSender & sender);
  void send_start(std::int64_t now_ns, std::uint16_t sequence, FrameSender & sender) const;
  void ask_again(std::int64_t now_ns, FrameSender & sender);
  void take_answer(std::int64_t now_ns);
  void follow(const serial::Progress & progress);
  void note_buffered();
  bool may_send_nodes() const;

  const BoardProgram * program_ = nullptr;
  serial::Abilities abilities_;
  std::uint32_t session_ = 0;
  std::uint32_t settings_crc_ = 0;
  Timing timing_;
  Phase phase_ = Phase::idle;
  bool stop_asked_ = false;
  PlayStatistics statistics_;
  ClockModel clock_;

  bool asked_ = false;  ///< a question is open
  std::uint16_t question_ = 0;
  std::int64_t asked_ns_ = 0;
  std::int64_t next_step_ns_ = 0;
  int unanswered_ = 0;
  serial::Progress progress_;
  bool has_progress_ = false;

  std::uint32_t sent_ = 0;         ///< nodes
  std::uint32_t sent_before_ = 0;  ///< when the question was asked
  std::uint32_t may_send_ = 0;     ///< up to this node there is room
  std::uint64_t sent_ns_ = 0;      ///< time along the path of what the board has for certain
  std::uint32_t certain_ = 0;      ///< nodes of that

  std::array<serial::Cycle, window> cycles_{};
  std::array<bool, window> here_{};
  std::uint32_t next_ = 0;   ///< cycle to give out
  std::uint32_t known_ = 0;  ///< cycles that the board has made, as far as is known
  std::int64_t repeat_ns_ = 0;
  int repeats_of_one_ = 0;
};

}  // namespace fivebar_control
