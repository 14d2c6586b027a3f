// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "firmware/board.h"
#include "fivebar_control/hardware/motor_hardware.hpp"
#include "fivebar_control/hardware/serial_protocol.hpp"
#include "fivebar_control/simulation/live_robot.hpp"

namespace fivebar_control::test
{

/// The reference firmware with a robot behind it, and the host's side of the protocol, in simulated
/// time: every read() lets one period pass. All bytes go through both ends; only the line between
/// them and the clock are missing. So the emulated board can be tried without a real-time machine.
class LockstepBoard : public MotorHardware
{
public:
  LockstepBoard(
    std::unique_ptr<PlantEngine> engine, const PlantParameters & plant,
    const Eigen::Vector2d & start, std::int64_t period_ns)
  : robot_(std::move(engine), plant, start), start_(start), period_ns_(period_ns)
  {
    counts_per_turn_ = plant.counts_per_turn;
  }

  HardwareError open() override
  {
    fivebar_hooks hooks{};
    hooks.context = this;
    hooks.time_us = [](void * self) {
      return static_cast<std::uint32_t>(of(self).time_ns_ / 1000);
    };
    hooks.counts = [](void * self, int joint) {
      return of(self).robot_.counts()[static_cast<std::size_t>(joint)];
    };
    hooks.index = [](void *, int, int32_t *) { return false; };
    hooks.set_output = [](void * self, int32_t first, int32_t second) {
      of(self).robot_.set_volts({1e-3 * first, 1e-3 * second});
    };
    hooks.faults = [](void *) { return std::uint16_t{0}; };
    hooks.send = [](void * self, const uint8_t * bytes, std::size_t size) {
      of(self).take(bytes, size);
    };
    hooks.kick_hardware_watchdog = [](void *) {};
    fivebar_board_init(&board_, &hooks, 7, 24000);
    robot_.advance_to(time_ns_);
    send(serial::hello(++sequence_, 1));
    return info_ ? HardwareError::none : HardwareError::wrong_device;
  }

  HardwareError arm() override
  {
    send(serial::arm(++sequence_, info_->session));
    armed_ = state_ && (state_->status & serial::armed) != 0;
    return armed_ ? HardwareError::none : HardwareError::not_armed;
  }

  HardwareError read(MotorSample & sample) noexcept override
  {
    if (!first_)
    {
      time_ns_ += period_ns_;
      robot_.advance_to(time_ns_);
      fivebar_board_tick(&board_);
    }
    first_ = false;
    state_.reset();
    send(serial::request(++sequence_));
    if (!state_)
    {
      return HardwareError::timeout;
    }
    sample.time_ns = time_ns_ - start_ns;
    sample.counts = {state_->counts[0], state_->counts[1]};
    sample.status = 0;
    if ((state_->status & serial::watchdog) != 0)
    {
      sample.status |= motor_status::watchdog_tripped;
    }
    if ((state_->status & serial::encoder_error) != 0)
    {
      sample.status |= motor_status::device_fault | motor_status::encoder_error;
    }
    return HardwareError::none;
  }

  HardwareError write(const Eigen::Vector2d & volts) noexcept override
  {
    send(serial::command(++sequence_, volts));
    return HardwareError::none;
  }
  HardwareError disarm() noexcept override
  {
    send(serial::disarm(++sequence_));
    return HardwareError::none;
  }
  void close() noexcept override {}
  Encoder encoder() const override { return {Eigen::Vector2d::Constant(counts_per_turn_), start_}; }
  HardwareClock clock() const override { return HardwareClock::simulated; }
  std::string description() const override { return "emulated board in lock-step"; }

  const SimulatedPlant & plant() const { return robot_.plant(); }

private:
  static constexpr std::int64_t start_ns = 1'000'000'000;  // a clock of zero would not have begun

  static LockstepBoard & of(void * self) { return *static_cast<LockstepBoard *>(self); }
  void send(const serial::Frame & frame)
  {
    for (const std::uint8_t byte : frame.view())
    {
      fivebar_board_receive(&board_, byte);
    }
  }
  void take(const std::uint8_t * bytes, std::size_t size)
  {
    for (std::size_t i = 0; i < size; ++i)
    {
      if (const auto payload = reader_.take(bytes[i]))
      {
        if (const auto info = serial::decode_info(*payload))
        {
          info_ = info;
        }
        if (const auto state = serial::decode_state(*payload))
        {
          state_ = state;
        }
      }
    }
  }

  LiveRobot robot_;
  Eigen::Vector2d start_;
  std::int64_t period_ns_;
  double counts_per_turn_ = 4096.0;
  fivebar_board board_{};
  serial::FrameReader reader_;
  std::optional<serial::Info> info_;
  std::optional<serial::State> state_;
  std::uint16_t sequence_ = 0;
  std::int64_t time_ns_ = start_ns;
  bool first_ = true;
  bool armed_ = false;
};

}  // namespace fivebar_control::test
