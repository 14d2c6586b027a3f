// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/stepped_board.hpp"

#include <algorithm>
#include <cmath>

#include "fivebar_control/support/nanoseconds.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::int64_t tick_ns = 1'000'000;

}  // namespace

SteppedBoard::SteppedBoard(
  const RobotModel & robot, const PlantParameters & plant, const Eigen::Vector2d & start,
  std::int64_t period_ns, EngineMaker engine)
: parameters_(plant),
  robot_(engine(robot, plant), plant, start),
  truth_(robot),
  period_ns_(period_ns)
{
  under_way_.fill(Eigen::Vector2d::Zero());
  robot_.advance_to(time_ns_);
  counts_ = robot_.counts();
  const fivebar_hooks table = hooks();
  fivebar_board_init(
    &board_, &table, session_,
    static_cast<std::int32_t>(std::lround(parameters_.supply_voltage * 1e3)));
}

HardwareError SteppedBoard::open()
{
  opened_ = true;
  first_read_ = true;
  armed_ = false;
  hear(serial::hello(++sequence_, 1));
  return info_.major == serial::protocol_major ? HardwareError::none : HardwareError::wrong_device;
}

HardwareError SteppedBoard::arm()
{
  if (!opened_)
  {
    return HardwareError::no_device;
  }
  hear(serial::arm(++sequence_, info_.session));
  armed_ = (state_.status & serial::armed) != 0;
  echo_.reset();
  return armed_ ? HardwareError::none : HardwareError::device_fault;
}

HardwareError SteppedBoard::read(MotorSample & sample) noexcept
{
  if (!opened_)
  {
    return HardwareError::no_device;
  }
  if (!first_read_)
  {
    pass(period_ns_);
  }
  first_read_ = false;
  hear(serial::request(++sequence_));
  if (armed_ && (state_.status & serial::armed) != 0)
  {
    echo_.reported(state_.command_sequence, state_.output_millivolts);
  }
  sample.time_ns = time_ns_;
  sample.age_ns = 0;
  sample.status = status();
  for (std::size_t i = 0; i < 2; ++i)
  {
    sample.counts[i] = state_.counts[i];
    sample.index[i] = state_.index[i];
  }
  return HardwareError::none;
}

HardwareError SteppedBoard::write(const Eigen::Vector2d & volts) noexcept
{
  if (!armed_)
  {
    return HardwareError::not_armed;
  }
  if (!volts.allFinite())
  {
    return HardwareError::bad_data;
  }
  echo_.told(++sequence_, serial::millivolts(volts));
  hear(serial::command(sequence_, volts));
  return HardwareError::none;
}

HardwareError SteppedBoard::disarm() noexcept
{
  armed_ = false;
  hear(serial::disarm(++sequence_));
  return opened_ ? HardwareError::none : HardwareError::no_device;
}

void SteppedBoard::close() noexcept
{
  SteppedBoard::disarm();
  opened_ = false;
}

std::string SteppedBoard::explanation() const
{
  const std::string why = describe_status(status());
  return echo_.differs() ? why + ": " + echo_.explanation() : why;
}

std::string SteppedBoard::description() const
{
  return "emulated board in simulated time (" + plant().engine().name() + ", plant '" +
         parameters_.name + "')";
}

void SteppedBoard::press_emergency_stop(double after)
{
  pressed_ns_ = time_ns_ + nanoseconds(after);
}

void SteppedBoard::reboot()
{
  const fivebar_hooks table = hooks();
  counts_at_boot_ = counts_;
  fivebar_board_init(&board_, &table, ++session_, board_.full_scale_millivolts);
}

void SteppedBoard::stop_timer() { timer_stopped_ns_ = time_ns_; }

void SteppedBoard::limit_output(double volts)
{
  board_.full_scale_millivolts = static_cast<std::int32_t>(std::lround(1e3 * volts));
}

void SteppedBoard::push(const Eigen::Vector2d & volts, double seconds)
{
  robot_.set_hand(volts);
  hand_ends_ns_ = time_ns_ + nanoseconds(seconds);
}

void SteppedBoard::let_time_pass(double seconds)
{
  for (std::int64_t left = nanoseconds(seconds); left > 0; left -= period_ns_)
  {
    pass(std::min(left, period_ns_));
  }
}

fivebar_hooks SteppedBoard::hooks()
{
  fivebar_hooks table{};
  table.context = this;
  table.time_us = [](void * context) {
    const SteppedBoard & self = of(context);
    return static_cast<std::uint32_t>(std::min(self.time_ns_, self.timer_stopped_ns_) / 1000);
  };
  table.counts = [](void * context, int joint) {
    const SteppedBoard & self = of(context);
    const auto i = static_cast<std::size_t>(joint);
    return self.counts_[i] - self.counts_at_boot_[i];
  };
  table.index = [](void * context, int joint, int32_t * counts) {
    const auto mark = of(context).robot_.index(joint);
    *counts = mark.value_or(0);
    return mark.has_value();
  };
  table.set_output = [](void * context, int32_t first, int32_t second) {
    SteppedBoard & self = of(context);
    self.asked_ = {1e-3 * first, 1e-3 * second};
    if (!self.board_.armed)
    {
      // Bridges that are switched off do not wait for what was under way.
      self.under_way_.fill(Eigen::Vector2d::Zero());
    }
  };
  table.faults = [](void * context) {
    const SteppedBoard & self = of(context);
    return static_cast<std::uint16_t>(
      self.time_ns_ >= self.pressed_ns_ ? FIVEBAR_EMERGENCY_STOP : 0);
  };
  table.send = [](void * context, const uint8_t * bytes, std::size_t size) {
    SteppedBoard & self = of(context);
    for (std::size_t i = 0; i < size; ++i)
    {
      if (const auto payload = self.reader_.take(bytes[i]))
      {
        if (const auto info = serial::decode_info(*payload))
        {
          self.info_ = *info;
        }
        else if (const auto state = serial::decode_state(*payload))
        {
          self.state_ = *state;
        }
      }
    }
  };
  table.kick_hardware_watchdog = [](void *) {};
  return table;
}

void SteppedBoard::hear(const serial::Frame & frame)
{
  for (const std::uint8_t byte : frame.view())
  {
    fivebar_board_receive(&board_, byte);
  }
}

void SteppedBoard::pass(std::int64_t duration_ns)
{
  std::rotate(under_way_.begin(), under_way_.end() - 1, under_way_.end());
  under_way_.front() = asked_;
  for (std::int64_t left = duration_ns; left > 0; left -= tick_ns)
  {
    robot_.set_volts(under_way_[static_cast<std::size_t>(parameters_.delay_cycles)]);
    time_ns_ += std::min(left, tick_ns);
    robot_.advance_to(time_ns_);
    if (time_ns_ >= hand_ends_ns_)
    {
      robot_.set_hand(Eigen::Vector2d::Zero());
    }
    counts_ = robot_.counts();
    fivebar_board_tick(&board_);
    truth_.see(plant());
    const Eigen::Vector2d from_start = plant().state().head<2>() - plant().start();
    peak_excursion_ = std::max(peak_excursion_, from_start.cwiseAbs().maxCoeff());
  }
}

std::uint32_t SteppedBoard::status() const noexcept
{
  const std::uint32_t state = state_.status;
  const auto translate = [state](std::uint32_t from, std::uint32_t to) {
    return (state & from) != 0U ? to : 0U;
  };
  const bool gone = armed_ && (state & (serial::armed | serial::watchdog)) == 0U;
  const std::uint32_t stopped = translate(serial::encoder_error, motor_status::encoder_error) |
                                translate(serial::emergency_stop, motor_status::emergency_stop);
  return stopped | (stopped != 0U || gone || echo_.differs() ? motor_status::device_fault : 0U) |
         (echo_.differs() ? motor_status::output_differs : 0U) |
         (gone && stopped == 0U ? motor_status::restarted : 0U) |
         translate(serial::armed, motor_status::armed) |
         translate(serial::watchdog, motor_status::watchdog_tripped) |
         translate(serial::index_1, motor_status::index_seen[0]) |
         translate(serial::index_4, motor_status::index_seen[1]);
}

}  // namespace fivebar_control
