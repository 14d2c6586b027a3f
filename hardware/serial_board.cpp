// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/hardware/serial_board.hpp"

#include <algorithm>
#include <cmath>

#include "fivebar_control/support/monotonic_clock.hpp"
#include "fivebar_control/support/nanoseconds.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::int64_t milliseconds = 1'000'000;

}  // namespace

SerialBoard::SerialBoard(std::string path, const SerialSettings & settings)
: path_(std::move(path)), settings_(settings)
{
  // A greeting is the one frame that disarms whatever its sequence number is, so that it can be
  // prepared. The delimiter before it ends whatever frame was being sent.
  const serial::Frame greeting = serial::hello(0, 0);
  std::copy_n(greeting.bytes.begin(), greeting.size, emergency_frame_.begin() + 1);
  emergency_size_ = greeting.size + 1;
}

std::int64_t SerialBoard::answer_ns() const noexcept
{
  return (settings_.lock_step ? 20'000 : 50) * milliseconds;
}

HardwareError SerialBoard::arm_for_homing()
{
  // Older firmware takes a link at its stop for a broken encoder, at more volts than these.
  return arm(info_.minor >= serial::homing_minor);
}

HardwareError SerialBoard::arm(bool homing)
{
  if (motors_are_to_stay_off())
  {
    return HardwareError::not_armed;
  }
  if (restarted_)
  {
    return HardwareError::not_homed;  // its counts began anew
  }
  if (link_ != Link::up)
  {
    return HardwareError::disconnected;
  }
  for (int attempt = 0; attempt < 3; ++attempt)
  {
    expect_answer(monotonic_now_ns());
    const serial::Frame frame = homing ? serial::arm_for_homing(sequence_, info_.session)
                                       : serial::arm(sequence_, info_.session);
    if (const HardwareError error = send(frame); error == HardwareError::disconnected)
    {
      return error;
    }
    if (wait_for_status(sequence_, monotonic_now_ns() + answer_ns()))
    {
      armed_ = (state_.status & serial::armed) != 0;
      echo_.reset();
      return armed_ ? HardwareError::none : HardwareError::device_fault;
    }
    if (link_ != Link::up)
    {
      return HardwareError::disconnected;
    }
  }
  return HardwareError::timeout;
}

HardwareError SerialBoard::read(MotorSample & sample) noexcept
{
  const std::int64_t began = monotonic_now_ns();
  HardwareError error = HardwareError::none;
  if (link_ == Link::up)
  {
    const std::int64_t deadline =
      began + (settings_.lock_step ? answer_ns() : nanoseconds(settings_.read_deadline));
    expect_answer(began);
    const std::uint16_t asked = sequence_;
    error = send(serial::request(asked));
    // A line that is full may still have answers for us.
    error = error == HardwareError::timeout ? HardwareError::none : error;
    while (error == HardwareError::none)
    {
      error = receive();
      if (error != HardwareError::none || (has_state_ && state_.sequence == asked))
      {
        break;
      }
      if (monotonic_now_ns() >= deadline)
      {
        break;
      }
      port_.wait(deadline);
    }
  }
  else
  {
    if (opened_ && !armed_)
    {
      step_link(began);
    }
    error = HardwareError::disconnected;
  }
  sample.time_ns = state_time_ns_;
  sample.age_ns = settings_.lock_step ? 0 : monotonic_now_ns() - state_time_ns_;
  sample.status = status();
  for (std::size_t i = 0; i < 2; ++i)
  {
    sample.counts[i] = state_.counts[i];
    sample.index[i] = state_.index[i];
  }
  if (error != HardwareError::none)
  {
    return error;
  }
  if (state_time_ns_ <= delivered_time_ns_ || sample.age_ns > nanoseconds(settings_.largest_age))
  {
    ++statistics_.stale_reads;
    return HardwareError::timeout;
  }
  delivered_time_ns_ = state_time_ns_;
  return HardwareError::none;
}

HardwareError SerialBoard::write(const Eigen::Vector2d & volts) noexcept
{
  if (!armed_)
  {
    return HardwareError::not_armed;
  }
  if (!std::isfinite(volts[0]) || !std::isfinite(volts[1]))
  {
    return HardwareError::bad_data;
  }
  echo_.told(++sequence_, serial::millivolts(volts));
  return send(serial::command(sequence_, volts));
}

HardwareError SerialBoard::disarm() noexcept
{
  armed_ = false;
  if (link_ != Link::up)
  {
    return HardwareError::disconnected;
  }
  expect_answer(monotonic_now_ns());
  return send(serial::disarm(sequence_));
}

bool SerialBoard::confirms_zero() noexcept
{
  if (armed_ || link_ != Link::up)
  {
    return false;
  }
  const bool answered = wait_for_status(sequence_, monotonic_now_ns() + answer_ns());
  return answered && (state_.status & serial::armed) == 0U && state_.output_millivolts[0] == 0 &&
         state_.output_millivolts[1] == 0;
}

BoardPlayer * SerialBoard::player() noexcept
{
  const bool may = opened_ && link_ == Link::up && info_.minor >= serial::play_minor;
  return may && player_.find_out() ? &player_ : nullptr;
}

std::optional<std::uint32_t> SerialBoard::session() const
{
  return opened_ ? std::optional(info_.session) : std::nullopt;
}

std::optional<double> SerialBoard::full_scale() const
{
  return opened_ ? std::optional(1e-3 * info_.full_scale_millivolts) : std::nullopt;
}

void SerialBoard::close() noexcept
{
  if (link_ == Link::up)
  {
    SerialBoard::disarm();
    const std::uint16_t last = sequence_;
    wait_for_status(last, monotonic_now_ns() + answer_ns());  // also hears the answers before it
  }
  for (Request & request : requests_)
  {
    statistics_.lost += request.waiting ? 1 : 0;
    request.waiting = false;
  }
  armed_ = false;
  opened_ = false;
  emergency_.withdraw();
  drop_link();
}

std::string SerialBoard::explanation() const
{
  if (wrong_version_)
  {
    return "the board speaks protocol version " + std::to_string(info_.major) + ", this program " +
           std::to_string(serial::protocol_major) + ": update the older one";
  }
  const std::string why = complaint_.empty() ? describe_status(status()) : complaint_;
  return echo_.differs() ? why + ": " + echo_.explanation() : why;
}

HardwareError SerialBoard::send(const serial::Frame & frame) noexcept
{
  const HardwareError error = port_.write(frame.view());
  if (error == HardwareError::disconnected)
  {
    drop_link();
  }
  return error;
}

/// Takes the next sequence number and remembers when it was used.
void SerialBoard::expect_answer(std::int64_t now_ns) noexcept
{
  ++sequence_;
  Request & request = requests_[sequence_ % requests_.size()];
  statistics_.lost += request.waiting ? 1 : 0;
  request = {now_ns, sequence_, true};
  ++statistics_.requests;
}

HardwareError SerialBoard::receive() noexcept
{
  std::array<std::uint8_t, 512> bytes;
  std::size_t count = 0;
  const HardwareError error = port_.read(bytes, count);
  if (error != HardwareError::none)
  {
    drop_link();
    return error;
  }
  const std::int64_t now = monotonic_now_ns();
  for (std::size_t i = 0; i < count; ++i)
  {
    if (const auto payload = reader_.take(bytes[i]))
    {
      if (link_ == Link::up && player_.hear(*payload, now))
      {
        continue;
      }
      if (const auto info = serial::decode_info(*payload))
      {
        take_info(*info);
      }
      else if (const auto state = serial::decode_state(*payload); state && link_ == Link::up)
      {
        take_state(*state, now);
      }
    }
  }
  statistics_.bad_frames = reader_.bad_frames() + state_.bad_frames;
  return HardwareError::none;
}

void SerialBoard::take_state(const serial::State & state, std::int64_t now_ns) noexcept
{
  player_.hear(state);
  Request & request = requests_[state.sequence % requests_.size()];
  std::int64_t asked_ns = now_ns;
  if (request.waiting && request.sequence == state.sequence)
  {
    request.waiting = false;
    asked_ns = request.asked_ns;
    statistics_.round_trip.add(now_ns - asked_ns);
    statistics_.late += now_ns - asked_ns > nanoseconds(settings_.read_deadline) ? 1 : 0;
  }
  if (has_state_ && static_cast<std::int16_t>(state.sequence - state_.sequence) <= 0)
  {
    return;  // repeated, or overtaken on the way
  }
  if (settings_.lock_step)
  {
    lock_step_time_ns_ +=
      has_state_ ? 1000 * static_cast<std::int64_t>(state.time_us - state_.time_us) : 1;
    state_time_ns_ = lock_step_time_ns_;
  }
  else
  {
    state_time_ns_ = clock_offset_.host_time(state.time_us, asked_ns, now_ns);
  }
  state_ = state;
  has_state_ = true;
  if (armed_ && (state.status & serial::armed) != 0)
  {
    echo_.reported(state.command_sequence, state.output_millivolts);
  }
  statistics_.lost_at_device = state.lost_frames;
}

void SerialBoard::drop_link() noexcept
{
  port_.close();
  link_ = Link::down;
}

bool SerialBoard::wait_for_status(std::uint16_t sequence, std::int64_t deadline_ns) noexcept
{
  while (receive() == HardwareError::none)
  {
    if (has_state_ && state_.sequence == sequence)
    {
      return true;
    }
    if (monotonic_now_ns() >= deadline_ns)
    {
      return false;
    }
    port_.wait(deadline_ns);
  }
  return false;
}

std::uint32_t SerialBoard::status() const noexcept
{
  namespace bits = motor_status;
  const std::uint32_t state = state_.status;
  const auto translate = [state](std::uint32_t from, std::uint32_t to) {
    return (state & from) != 0U ? to : 0U;
  };
  const std::uint32_t causes = translate(serial::watchdog, bits::watchdog_tripped) |
                               translate(serial::over_current, bits::over_current) |
                               translate(serial::under_voltage, bits::under_voltage) |
                               translate(serial::encoder_error, bits::encoder_error) |
                               translate(serial::emergency_stop, bits::emergency_stop);
  const bool gone = armed_ && has_state_ && (state & serial::armed) == 0U && causes == 0U;
  const bool bad = gone || echo_.differs() || (causes & ~bits::watchdog_tripped) != 0U;
  return causes | translate(serial::armed, bits::armed) |
         translate(serial::index_1, bits::index_seen[0]) |
         translate(serial::index_4, bits::index_seen[1]) | (bad ? bits::device_fault : 0U) |
         (gone || restarted_ ? bits::restarted : 0U) |
         (echo_.differs() ? bits::output_differs : 0U);
}

}  // namespace fivebar_control
