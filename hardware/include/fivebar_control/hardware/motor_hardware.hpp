// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <functional>
#include <numbers>
#include <optional>
#include <string>

#include "fivebar_control/support/time_histogram.hpp"

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
  device_fault,     ///< it reports a fault and does not drive
  not_homed,        ///< the angles at zero counts are not known (any more)
  library_missing,  ///< the vendor's library is not installed
  interrupted,      ///< stopped on request
};

/// Stable names, part of messages and JSON.
const char * to_string(HardwareError error);

/// Bits of MotorSample::status.
namespace motor_status
{
inline constexpr std::uint32_t armed = 1U;             ///< the device CONFIRMED that it drives
inline constexpr std::uint32_t watchdog_tripped = 2U;  ///< it heard nothing and went to zero volts
inline constexpr std::uint32_t device_fault = 4U;      ///< any that stopped it; causes follow
inline constexpr std::uint32_t over_current = 8U;
inline constexpr std::uint32_t under_voltage = 16U;
inline constexpr std::uint32_t encoder_error = 32U;
inline constexpr std::uint32_t emergency_stop = 64U;
inline constexpr std::uint32_t restarted = 128U;  ///< no longer armed although it was
inline constexpr std::array<std::uint32_t, 2> index_seen = {256U, 512U};  ///< since power-up
inline constexpr std::uint32_t output_differs = 1024U;  ///< it gives other volts than it was told

/// Whether the device still drives as far as it tells: nothing a controller must not ignore.
inline bool is_good(std::uint32_t status)
{
  return (status & (watchdog_tripped | device_fault)) == 0U;
}
}  // namespace motor_status

/// "over-current, emergency stop": the causes among the bits; empty if there are none.
std::string describe_status(std::uint32_t status);

/// One reading of both driven joints; index 0 is driven link 1, index 1 driven link 4.
struct MotorSample
{
  std::int64_t time_ns = 0;  ///< when it was measured, on the clock that clock() names
  std::array<std::int64_t, 2> counts{};
  std::uint32_t status = 0;
  std::int64_t age_ns = 0;              ///< from time_ns to the end of the read()
  std::array<std::int64_t, 2> index{};  ///< counts at the last index pulse, see index_seen
};

/// How counts become angles of the links.
struct Encoder
{
  /// Of the link, counter-clockwise; negative if the counts go the other way.
  Eigen::Vector2d counts_per_turn = Eigen::Vector2d::Constant(4096.0);
  Eigen::Vector2d zero_angle = Eigen::Vector2d::Zero();  ///< rad at zero counts

  /// rad per count.
  Eigen::Vector2d resolution() const
  {
    return (2.0 * std::numbers::pi) * counts_per_turn.cwiseAbs().cwiseInverse();
  }

  Eigen::Vector2d angle(const MotorSample & sample) const
  {
    const auto of = [&](int joint) {
      return zero_angle[joint] + 2.0 * std::numbers::pi / counts_per_turn[joint] *
                                   static_cast<double>(sample.counts[joint]);
    };
    return {of(0), of(1)};
  }
};

enum class HardwareClock
{
  monotonic,  ///< CLOCK_MONOTONIC of this machine
  simulated,  ///< own time, which goes on by one period per read(): the world waits for the loop
};

/// One cycle in which a link was moved to find out where it stands.
struct HomingCycle
{
  std::int64_t time_ns = 0;  ///< on the clock that clock() names
  MotorSample sample;
  Eigen::Vector2d angle = Eigen::Vector2d::Zero();  ///< rad, as far as it is known yet
  Eigen::Vector2d volts = Eigen::Vector2d::Zero();  ///< at the motors, after this sample
  bool read_good = true, write_good = true;
};

/// What whoever homes a robot has to say and to hear about it, in every cycle.
struct HomingCalls
{
  std::function<bool()> stop;  ///< whether it shall end
  std::function<void(const HomingCycle &)> see = [](const HomingCycle &) {};
};

/// How the connection was. Counted from open().
struct LinkStatistics
{
  TimeHistogram round_trip;         ///< ns from asking for a sample to having it
  std::int64_t requests = 0;        ///< samples asked for
  std::int64_t late = 0;            ///< answered, but after the read that asked had given up
  std::int64_t lost = 0;            ///< never answered
  std::int64_t stale_reads = 0;     ///< reads that had nothing young enough to give
  std::int64_t bad_frames = 0;      ///< received with errors, by both ends
  std::int64_t lost_at_device = 0;  ///< frames of ours that the device missed
  std::int64_t reconnects = 0;
};

/// From volts at a motor to volts at the device's output; the dead band's share is added before.
struct OutputLine
{
  double gain = 1.0;  ///< signed
  double limit = 1000.0;
  double dead_band = 0.0;        ///< V at the motor
  double dead_band_slope = 0.0;  ///< 1/V, the inverse of its width
};

class BoardPlayer;

/// The two motors with their encoders, whatever they are connected by. open() and close() may take
/// their time; read(), write() and disarm() are called from the real-time loop: no allocation, no
/// lock, bounded time. After arm() the device must hear a write() within its watchdog time, or it
/// goes to zero volts by itself and says so in the status of its samples. A read() that fails
/// leaves the last known counts in the sample, with their age.
class MotorHardware
{
public:
  virtual ~MotorHardware() = default;
  /// Moves nothing.
  virtual HardwareError open() = 0;
  /// After open(): finds out where the links stand, if need be by moving them under the same limits
  /// as any motion. When `calls.stop` says so, the motors have no volts before home() returns
  /// `interrupted`.
  virtual HardwareError home(const HomingCalls & calls)
  {
    return calls.stop() ? HardwareError::interrupted : HardwareError::none;
  }
  /// After open(): whether it is known already where the links stand, so that home() moves nothing.
  virtual bool is_homed() const noexcept { return true; }
  virtual HardwareError arm() = 0;
  /// For motions that may end at an end stop, where links stand still although they are driven.
  virtual HardwareError arm_for_homing() { return arm(); }
  virtual HardwareError read(MotorSample & sample) noexcept = 0;
  virtual HardwareError write(const Eigen::Vector2d & volts) noexcept = 0;
  /// V at the motors' terminals when these are written: what calibration and limits make of them.
  virtual Eigen::Vector2d terminal_volts(const Eigen::Vector2d & volts) const noexcept
  {
    return volts;
  }
  virtual OutputLine output_line(int /*joint*/) const { return {}; }
  /// Of an open device that can play a plan by itself; null of others.
  virtual BoardPlayer * player() noexcept { return nullptr; }
  virtual HardwareError disarm() noexcept = 0;
  virtual void close() noexcept = 0;
  /// After disarm(): whether the device itself has said that its motors have no volts. May wait for
  /// its answer for some milliseconds. Devices whose calls take effect at once have nothing to ask.
  virtual bool confirms_zero() noexcept { return true; }
  /// Differs after each restart of the device, with which its counts began anew; none if the device
  /// cannot tell.
  virtual std::optional<std::uint32_t> session() const { return std::nullopt; }
  /// V that its outputs can give at most, as the open device says; none if it does not say.
  virtual std::optional<double> full_scale() const { return std::nullopt; }
  /// Something happened to the encoders: where the links stand is no longer certain.
  virtual void doubt_zero() noexcept {}

  virtual Encoder encoder() const = 0;
  /// Null where there is no connection to speak of.
  virtual const LinkStatistics * statistics() const { return nullptr; }
  /// More about the last error of open() or arm(), for the user; may be empty.
  virtual std::string explanation() const { return {}; }
  virtual HardwareClock clock() const = 0;
  /// m, where P truly is at the last read(); nothing where only the encoders could tell.
  virtual std::optional<Eigen::Vector2d> true_point() const noexcept { return std::nullopt; }
  /// What it is, for messages: "simulated robot (plant mismatched)", "serial port /dev/ttyUSB0".
  virtual std::string description() const = 0;
};

}  // namespace fivebar_control
