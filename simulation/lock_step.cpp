// SPDX-License-Identifier: Apache-2.0
// The emulated board in simulated time: host and board wait for each other, so that what happens
// does not depend on how busy the machine is.
#include "fivebar_control/hardware/play_protocol.hpp"
#include "fivebar_control/simulation/emulated_board.hpp"
#include "fivebar_control/support/monotonic_clock.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::int64_t patience_ns = 1'000'000'000;  // with a host of which nothing is known
constexpr std::int64_t look_ns = 1'000'000;
constexpr int periods_per_pull = 4;  // a host that only watches asks less often

}  // namespace

void EmulatedBoard::run_in_lock_step(const std::function<bool()> & stop)
{
  std::int64_t heard_ns = monotonic_now_ns();
  while (!stop())
  {
    const std::vector<std::uint8_t> bytes = terminal_.read();
    for (const std::uint8_t byte : bytes)
    {
      take_in_lock_step(byte);
    }
    const std::int64_t now = monotonic_now_ns();
    heard_ns = bytes.empty() ? heard_ns : now;
    const bool gone = bytes.empty() && options_.host_is_gone && options_.host_is_gone();
    if (gone || now - heard_ns > patience_ns)
    {
      pass_lock_step();
    }
    terminal_.write(to_host_.pop(now_ns_));
    if (bytes.empty() && !(gone && is_armed()))
    {
      terminal_.wait(now + look_ns);
    }
  }
  terminal_.close();
}

/// One period passes; the board's timer ticks at its end.
void EmulatedBoard::pass_lock_step()
{
  now_ns_ += options_.lock_step_ns;
  robot_.advance_to(now_ns_);
  if (first_armed_ns_ != 0)
  {
    truth_.see(robot_.plant());
  }
  update_faults(now_ns_);
  fivebar_board_tick(&board_);
  note_changes(now_ns_);
}

void EmulatedBoard::take_in_lock_step(std::uint8_t byte)
{
  if (const auto payload = listener_.take(byte))
  {
    ++frames_;
    if (options_.on_frame)
    {
      options_.on_frame(frames_);
    }
    const auto type = static_cast<serial::MessageType>((*payload)[0]);
    if (type == serial::MessageType::request)
    {
      pass_lock_step();
    }
    if ((*payload)[0] == static_cast<std::uint8_t>(serial::PlayMessage::pull))
    {
      for (int period = 0; period < periods_per_pull; ++period)
      {
        pass_lock_step();
      }
    }
    const bool command = type == serial::MessageType::command && payload->size() == 7;
    if (
      command &&
      ((*payload)[3] != 0 || (*payload)[4] != 0 || (*payload)[5] != 0 || (*payload)[6] != 0))
    {
      last_drive_ns_ = now_ns_;
    }
  }
  fivebar_board_receive(&board_, byte);
  note_changes(now_ns_);
}

}  // namespace fivebar_control
