#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace fivebar_control
{

enum class HardwareError
{
  none,
  no_device,  ///< it is not there
  no_rights,
  busy,          ///< another program has it
  wrong_device,  ///< something else answers
  not_armed,
  timeout,   ///< no answer within the cycle
  bad_data,  ///< an answer that fails its check
  disconnected,
};

/// Stable names, part of messages and JSON.
const char * to_string(HardwareError error);

/// Bits of MotorSample::status.
namespace motor_status
{
inline constexpr std::uint32_t armed = 1U;             ///< the device CONFIRMED that it drives
inline constexpr std::uint32_t watchdog_tripped = 2U;  ///< it heard nothing and went to zero volts
inline constexpr std::uint32_t device_fault = 4U;      ///< over-current, over-temperature, ...
}  // namespace motor_status

/// One reading of both driven joints; index 0 is driven link 1, index 1 driven link 4.
struct MotorSample
{
  std::int64_t time_ns = 0;  ///< when it was measured, on the clock that clock() names
  std::array<std::int64_t, 2> counts{};
  std::uint32_t status = 0;
};

/// How counts become angles of the links.
struct Encoder
{
  double counts_per_turn = 4096.0;     ///< of the link
  std::array<double, 2> zero_angle{};  ///< rad at zero counts

  double angle(const MotorSample & sample, std::size_t joint) const
  {
    constexpr double turn = 6.283185307179586;
    return zero_angle[joint] + turn / counts_per_turn * static_cast<double>(sample.counts[joint]);
  }
};

enum class HardwareClock
{
  monotonic,  ///< CLOCK_MONOTONIC of this machine
  simulated,  ///< own time, which goes on by one period per read(): the world waits for the loop
};

/// The two motors with their encoders, whatever they are connected by. open() and close() may take
/// their time; read(), write() and disarm() are called from the real-time loop: no allocation, no
/// lock, bounded time. After arm() the device must hear a write() within its watchdog time, or it
/// goes to zero volts by itself and says so in the status of its samples.
class MotorHardware
{
public:
  virtual ~MotorHardware() = default;
  virtual HardwareError open() = 0;
  virtual HardwareError arm() = 0;
  virtual HardwareError read(MotorSample & sample) noexcept = 0;
  virtual HardwareError write(const std::array<double, 2> & volts) noexcept = 0;
  virtual HardwareError disarm() noexcept = 0;
  virtual void close() noexcept = 0;

  virtual Encoder encoder() const = 0;
  virtual HardwareClock clock() const = 0;
  /// What it is, for messages: "simulated robot (plant wrong)", "serial port /dev/ttyUSB0".
  virtual std::string description() const = 0;
};

}  // namespace fivebar_control
