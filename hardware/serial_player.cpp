// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/hardware/serial_player.hpp"

#include <algorithm>

#include "fivebar_control/hardware/serial_board.hpp"
#include "fivebar_control/support/monotonic_clock.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t patience_ns = 30 * millisecond;  // the slowest adapter holds back for 16
constexpr std::int64_t longest_silence_ns = 400 * millisecond;
// Of its own absence a host cannot blame the board.
constexpr std::int64_t counted_at_once_ns = 20 * millisecond;

}  // namespace

bool SerialPlayer::find_out() noexcept
{
  has_abilities_ = false;
  for (int attempt = 0; attempt < 5 && !has_abilities_; ++attempt)
  {
    send(serial::ask(next_sequence()));
    const std::int64_t deadline = monotonic_now_ns() + board_.answer_ns();
    while (!has_abilities_ && monotonic_now_ns() < deadline)
    {
      board_.port_.wait(deadline);
      if (board_.receive() != HardwareError::none)
      {
        return false;
      }
    }
  }
  return has_abilities_ && abilities_.settings == serial::settings_words &&
         abilities_.period_us > 0 && abilities_.nodes >= 8;
}

HardwareError SerialPlayer::load(const BoardProgram & program) noexcept
{
  if (board_.link_ != SerialBoard::Link::up || !has_abilities_)
  {
    return HardwareError::disconnected;
  }
  ProgramStream::Timing timing;
  timing.patience_ns = patience_ns;
  if (board_.settings_.lock_step)
  {
    timing = {board_.answer_ns(), 0};
  }
  stream_.begin(program, abilities_, board_.info_.session, timing);
  exchanged_ns_ = monotonic_now_ns();
  silence_ns_ = 0;
  longest_gap_ns_ = 0;
  restarted_ = false;
  return HardwareError::none;
}

HardwareError SerialPlayer::exchange(std::int64_t deadline_ns) noexcept
{
  if (board_.settings_.lock_step)
  {
    return exchange_in_lock_step();
  }
  std::int64_t now = monotonic_now_ns();
  longest_gap_ns_ = std::max(longest_gap_ns_, now - exchanged_ns_);
  heard_ = false;
  for (bool first = true; first || (!heard_ && now < deadline_ns); first = false)
  {
    // What has come counts before what is missing.
    if (const HardwareError error = board_.receive(); error != HardwareError::none)
    {
      return error;
    }
    now = monotonic_now_ns();
    silence_ns_ = heard_ ? 0 : silence_ns_ + std::min(now - exchanged_ns_, counted_at_once_ns);
    exchanged_ns_ = now;
    stream_.step(now, *this);
    if (const HardwareError error = judge(now); error != HardwareError::none)
    {
      return error;
    }
    if (!heard_)
    {
      board_.port_.wait(std::min(deadline_ns, now + 5 * millisecond));
      now = monotonic_now_ns();
    }
  }
  return board_.link_ == SerialBoard::Link::up ? HardwareError::none : HardwareError::disconnected;
}

/// The board's time stands still until the next question.
HardwareError SerialPlayer::exchange_in_lock_step() noexcept
{
  const std::int64_t deadline = monotonic_now_ns() + board_.answer_ns();
  stream_.step(monotonic_now_ns(), *this);
  while (stream_.is_asking() && monotonic_now_ns() < deadline)
  {
    if (const HardwareError error = board_.receive(); error != HardwareError::none)
    {
      return error;
    }
    if (stream_.is_asking())
    {
      board_.port_.wait(deadline);
    }
  }
  return stream_.is_asking() ? HardwareError::timeout : HardwareError::none;
}

/// Whether the board is still the one that plays.
HardwareError SerialPlayer::judge(std::int64_t now_ns) noexcept
{
  const bool running = stream_.phase() == ProgramStream::Phase::running;
  if (restarted_ && running)
  {
    return HardwareError::device_fault;
  }
  if (stream_.unanswered() >= 2 && stream_.next_step_ns() <= now_ns)
  {
    send(serial::request(next_sequence()));  // which also a board answers that was just reset
  }
  return silence_ns_ > longest_silence_ns && !stream_.is_over() ? HardwareError::timeout
                                                                : HardwareError::none;
}

const PlayStatistics & SerialPlayer::play_statistics() const noexcept
{
  auto & self = const_cast<SerialPlayer &>(*this);
  self.statistics_ = stream_.statistics();
  self.statistics_.longest_gap_ns = longest_gap_ns_;
  return statistics_;
}

bool SerialPlayer::hear(std::span<const std::uint8_t> payload, std::int64_t now_ns) noexcept
{
  if (const auto telemetry = serial::decode_telemetry(payload))
  {
    stream_.hear(*telemetry);
  }
  else if (const auto progress = serial::decode_progress(payload))
  {
    stream_.hear(*progress, now_ns);
  }
  else if (const auto abilities = serial::decode_abilities(payload))
  {
    abilities_ = *abilities;
    has_abilities_ = true;
  }
  else
  {
    return false;
  }
  heard_ = true;
  return true;
}

/// Asked for only while the player's own questions have no answer.
void SerialPlayer::hear(const serial::State & state) noexcept
{
  const bool running = stream_.phase() == ProgramStream::Phase::running;
  restarted_ =
    restarted_ || (running && (state.status & serial::armed) == 0 && stream_.unanswered() > 0);
}

std::uint16_t SerialPlayer::next_sequence() noexcept { return ++board_.sequence_; }

bool SerialPlayer::send(const serial::Frame & frame) noexcept
{
  return board_.send(frame) == HardwareError::none;
}

}  // namespace fivebar_control
