// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/hardware/clock_offset.hpp"
#include "fivebar_control/hardware/emergency_zero.hpp"
#include "fivebar_control/hardware/motor_hardware.hpp"
#include "fivebar_control/hardware/output_echo.hpp"
#include "fivebar_control/hardware/serial_player.hpp"
#include "fivebar_control/hardware/serial_port.hpp"
#include "fivebar_control/hardware/serial_protocol.hpp"

namespace fivebar_control
{

struct SerialSettings
{
  int baud = 1000000;           ///< ignored by USB devices and pseudo-terminals
  double read_deadline = 4e-4;  ///< s that read() waits for the answer to its own request
  double largest_age = 3e-3;    ///< s, older samples are no longer given as good
  double open_timeout = 2.0;    ///< s for the handshake
  /// V that the board must report as its full scale; none: whatever it says will do.
  std::optional<double> full_scale{};
  /// The device's time goes on by one period per request, and the host waits for it: for emulated
  /// boards that run in lock-step. A board whose time goes on by itself is refused.
  bool lock_step = false;
  std::int64_t lock_step_period_ns = 1'000'000;
};

/// Any microcontroller with two bridges and two encoders that speaks docs/serial_protocol.md. Its
/// volts are those at the board's output and its counts the board's; see CalibratedHardware.
///
/// read() asks for a sample and waits for it until the deadline; a late answer is used by the next
/// read(), with its true time. A lost connection is an error while armed; otherwise read() looks
/// for the device every 100 ms and greets it again.
class SerialBoard : public MotorHardware
{
public:
  SerialBoard(std::string path, const SerialSettings & settings);
  ~SerialBoard() override { SerialBoard::close(); }

  HardwareError open() override;
  HardwareError arm() override { return arm(false); }
  HardwareError arm_for_homing() override;
  HardwareError read(MotorSample & sample) noexcept override;
  HardwareError write(const Eigen::Vector2d & volts) noexcept override;
  HardwareError disarm() noexcept override;
  void close() noexcept override;
  Encoder encoder() const override { return {}; }
  HardwareClock clock() const override
  {
    return settings_.lock_step ? HardwareClock::simulated : HardwareClock::monotonic;
  }
  BoardPlayer * player() noexcept override;
  bool confirms_zero() noexcept override;
  std::optional<std::uint32_t> session() const override;
  std::optional<double> full_scale() const override;
  std::string description() const override { return "serial port " + path_; }
  const LinkStatistics * statistics() const override { return &statistics_; }
  std::string explanation() const override;

  const serial::Info & info() const { return info_; }

private:
  friend class SerialPlayer;
  enum class Link
  {
    down,
    greeting,
    up,
  };
  struct Request
  {
    std::int64_t asked_ns = 0;
    std::uint16_t sequence = 0;
    bool waiting = false;
  };

  HardwareError arm(bool homing);
  HardwareError prove_lock_step();
  HardwareError check_full_scale();
  /// Patience with an answer: in lock-step nothing happens in between.
  std::int64_t answer_ns() const noexcept;
  HardwareError step_link(std::int64_t now_ns) noexcept;
  HardwareError greet(std::int64_t now_ns) noexcept;
  HardwareError send(const serial::Frame & frame) noexcept;
  void expect_answer(std::int64_t now_ns) noexcept;
  HardwareError receive() noexcept;
  void take_info(const serial::Info & info) noexcept;
  void take_state(const serial::State & state, std::int64_t now_ns) noexcept;
  void drop_link() noexcept;
  bool wait_for_status(std::uint16_t sequence, std::int64_t deadline_ns) noexcept;
  std::uint32_t status() const noexcept;

  std::string path_;
  SerialSettings settings_;
  SerialPort port_;
  serial::FrameReader reader_;
  ClockOffset clock_offset_;
  LinkStatistics statistics_;
  OutputEcho echo_;
  EmergencyZero emergency_;
  std::array<std::uint8_t, serial::largest_frame + 1> emergency_frame_{};  ///< disarms the board
  std::size_t emergency_size_ = 0;
  std::string complaint_;
  SerialPlayer player_{*this};

  Link link_ = Link::down;
  std::int64_t next_step_ns_ = 0;  ///< when to try again to open or to greet
  int greetings_ = 0;
  std::uint32_t nonce_ = 0;
  std::uint16_t sequence_ = 0;
  serial::Info info_;
  bool opened_ = false;     ///< by the user; info_.session is the one that was homed
  bool restarted_ = false;  ///< another session answered after a reconnect
  bool armed_ = false;      ///< the board confirmed it, and we have not disarmed since
  bool wrong_version_ = false;

  std::array<Request, 256> requests_{};
  serial::State state_;  ///< the newest
  bool has_state_ = false;
  std::int64_t state_time_ns_ = 0;
  std::int64_t delivered_time_ns_ = 0;
  std::int64_t lock_step_time_ns_ = 0;
};

}  // namespace fivebar_control
