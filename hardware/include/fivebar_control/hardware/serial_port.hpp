// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "fivebar_control/hardware/motor_hardware.hpp"

namespace fivebar_control
{

/// A serial line in raw mode that never blocks. Only one program at a time has it.
class SerialPort
{
public:
  SerialPort() = default;
  ~SerialPort() { close(); }
  SerialPort(const SerialPort &) = delete;
  SerialPort & operator=(const SerialPort &) = delete;

  /// No allocation: may be called again and again while a cable is out.
  HardwareError open(const char * path, int baud) noexcept;
  void close() noexcept;
  bool is_open() const { return descriptor_ >= 0; }

  /// All of `bytes`, or `timeout` when the line does not take them now.
  HardwareError write(std::span<const std::uint8_t> bytes) noexcept;
  /// All of `bytes`, which must begin with a delimiter, at the cost of whatever else waits to be
  /// sent. Safe in a signal handler and beside another thread that uses the port; gives up after 20
  /// ms.
  void write_urgently(std::span<const std::uint8_t> bytes) noexcept;
  /// What has arrived; `count` may be 0.
  HardwareError read(std::span<std::uint8_t> bytes, std::size_t & count) noexcept;
  /// Until something arrives, at most until `deadline_ns` on CLOCK_MONOTONIC.
  void wait(std::int64_t deadline_ns) noexcept;

  /// Baud rates that open() takes.
  static bool knows(int baud);

private:
  std::atomic<int> descriptor_ = -1;
  bool cut_ = false;  ///< the last write stopped within a frame
};

}  // namespace fivebar_control
