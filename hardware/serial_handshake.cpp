// SPDX-License-Identifier: Apache-2.0
// How SerialBoard finds its board and greets it.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fivebar_control/hardware/serial_board.hpp"
#include "fivebar_control/support/monotonic_clock.hpp"
#include "fivebar_control/support/nanoseconds.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::int64_t retry_ns = 100'000'000;
constexpr int most_greetings = 5;
constexpr int most_greetings_in_lock_step = 200;

}  // namespace

HardwareError SerialBoard::open()
{
  close();
  statistics_ = {};
  restarted_ = false;
  wrong_version_ = false;
  has_state_ = false;
  delivered_time_ns_ = 0;
  next_step_ns_ = 0;
  lock_step_time_ns_ = 0;
  complaint_.clear();
  echo_.reset();
  const std::int64_t deadline =
    monotonic_now_ns() + (settings_.lock_step ? answer_ns() : nanoseconds(settings_.open_timeout));
  HardwareError error = HardwareError::none;
  while (link_ != Link::up)
  {
    const std::int64_t now = monotonic_now_ns();
    error = step_link(now);
    if (error != HardwareError::none || now > deadline)
    {
      drop_link();
      return error != HardwareError::none ? error : HardwareError::wrong_device;
    }
    if (link_ == Link::greeting)
    {
      port_.wait(std::min(deadline, next_step_ns_));
    }
  }
  if (error = check_full_scale(); error != HardwareError::none)
  {
    drop_link();
    return error;
  }
  opened_ = true;
  statistics_.reconnects = 0;
  emergency_.offer(
    [](void * self) noexcept {
      SerialBoard & board = *static_cast<SerialBoard *>(self);
      board.port_.write_urgently({board.emergency_frame_.data(), board.emergency_size_});
    },
    this);
  return settings_.lock_step ? prove_lock_step() : HardwareError::none;
}

/// Firmware that was made for another supply would give other volts than it is told.
HardwareError SerialBoard::check_full_scale()
{
  const double reported = 1e-3 * info_.full_scale_millivolts;
  if (!settings_.full_scale || std::abs(reported - *settings_.full_scale) <= 0.01 * reported)
  {
    return HardwareError::none;
  }
  complaint_ = fmt::format(
    "the board's full scale is {:.3f} V, 'serial: full_scale' of the calibration says {:.3f} V: "
    "it is another board, or its firmware is for another supply",
    reported, *settings_.full_scale);
  return HardwareError::wrong_device;
}

/// A board in real time must never be driven as fast as the host can: its time would betray it.
HardwareError SerialBoard::prove_lock_step()
{
  MotorSample sample;
  std::int64_t before = 0;
  for (int i = 0; i < 4; ++i)
  {
    const HardwareError error = read(sample);
    const bool in_step = i == 0 || sample.time_ns - before == settings_.lock_step_period_ns;
    if (error != HardwareError::none || !in_step)
    {
      close();
      complaint_ =
        "this board does not run in lock-step with the host: its time goes on by itself, or by "
        "another period; 'serial: {lock_step: true}' is for 'fivebar emulate --lock-step' only";
      return error != HardwareError::none ? error : HardwareError::wrong_device;
    }
    before = sample.time_ns;
  }
  return HardwareError::none;
}

HardwareError SerialBoard::step_link(std::int64_t now_ns) noexcept
{
  if (link_ == Link::greeting)
  {
    if (const HardwareError error = receive(); error != HardwareError::none)
    {
      return error;
    }
    if (wrong_version_)
    {
      return HardwareError::wrong_device;
    }
    if (link_ == Link::up || now_ns < next_step_ns_)
    {
      return HardwareError::none;
    }
    if (greetings_ < (settings_.lock_step ? most_greetings_in_lock_step : most_greetings))
    {
      return greet(now_ns);
    }
    drop_link();
    return HardwareError::wrong_device;
  }
  if (now_ns < next_step_ns_)
  {
    return HardwareError::none;
  }
  next_step_ns_ = now_ns + retry_ns;
  if (const HardwareError error = port_.open(path_.c_str(), settings_.baud);
      error != HardwareError::none)
  {
    return error;
  }
  reader_.reset();
  clock_offset_.reset();
  greetings_ = 0;
  link_ = Link::greeting;
  return greet(now_ns);
}

HardwareError SerialBoard::greet(std::int64_t now_ns) noexcept
{
  ++greetings_;
  nonce_ = static_cast<std::uint32_t>(now_ns) ^ (nonce_ * 2654435761U);
  next_step_ns_ = now_ns + retry_ns;
  return send(serial::hello(++sequence_, nonce_));
}

void SerialBoard::take_info(const serial::Info & info) noexcept
{
  if (link_ != Link::greeting || info.nonce != nonce_)
  {
    return;  // an answer to someone else, or a repeated one
  }
  wrong_version_ = info.major != serial::protocol_major;
  restarted_ = restarted_ || (opened_ && info.session != info_.session);
  info_ = info;
  link_ = wrong_version_ ? Link::greeting : Link::up;
  statistics_.reconnects += opened_ ? 1 : 0;
  has_state_ = false;
}

}  // namespace fivebar_control
