// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <limits>

#include "firmware/board.h"
#include "fivebar_control/hardware/motor_hardware.hpp"
#include "fivebar_control/hardware/output_echo.hpp"
#include "fivebar_control/hardware/serial_protocol.hpp"
#include "fivebar_control/simulation/live_robot.hpp"
#include "fivebar_control/simulation/true_motion.hpp"

namespace fivebar_control
{

/// The reference firmware with the robot's dynamics behind it, as EmulatedBoard, but without a line
/// and in simulated time: each read() but the first lets one control period pass. Nothing depends
/// on how busy the machine is. Volts are those at the board's output and counts the board's; see
/// CalibratedHardware.
class SteppedBoard : public MotorHardware
{
public:
  SteppedBoard(
    const RobotModel & robot, const PlantParameters & plant, const Eigen::Vector2d & start,
    std::int64_t period_ns, EngineMaker engine = make_equations_engine);

  HardwareError open() override;
  HardwareError arm() override;
  HardwareError read(MotorSample & sample) noexcept override;
  HardwareError write(const Eigen::Vector2d & volts) noexcept override;
  HardwareError disarm() noexcept override;
  void close() noexcept override;
  Encoder encoder() const override { return {}; }
  std::optional<double> full_scale() const override { return 1e-3 * info_.full_scale_millivolts; }
  HardwareClock clock() const override { return HardwareClock::simulated; }
  std::string description() const override;
  std::string explanation() const override;

  /// What people and the world do to it.
  /// Pressed from so many seconds on until it is released.
  void press_emergency_stop(double after);
  void release_emergency_stop() { pressed_ns_ = never; }
  /// Its microcontroller starts anew: another session, counts from zero, nobody greeted.
  void reboot();
  /// The timer behind the board's time stands still from now on; its ticks go on.
  void stop_timer();
  /// Its bridges give no more than this from now on, whatever they are told.
  void limit_output(double volts);
  /// A hand on the links for so long, as the voltage that would push as hard.
  void push(const Eigen::Vector2d & volts, double seconds);
  void let_time_pass(double seconds);

  /// The truth, which no real robot would tell: the plant, the worst of its motion, and how far
  /// a driven link has been from the start, in rad.
  const SimulatedPlant & plant() const { return robot_.plant(); }
  const TruePeaks & truth() const { return truth_.peaks(); }
  double peak_excursion() const { return peak_excursion_; }

private:
  static SteppedBoard & of(void * context) { return *static_cast<SteppedBoard *>(context); }
  fivebar_hooks hooks();
  void hear(const serial::Frame & frame);
  void pass(std::int64_t duration_ns);
  std::uint32_t status() const noexcept;

  PlantParameters parameters_;
  LiveRobot robot_;
  TrueMotion truth_;
  std::int64_t period_ns_;
  fivebar_board board_{};
  serial::FrameReader reader_;
  serial::Info info_;
  serial::State state_;
  OutputEcho echo_;
  std::array<Eigen::Vector2d, PlantParameters::longest_delay + 1> under_way_;  ///< newest first
  Eigen::Vector2d asked_ = Eigen::Vector2d::Zero();  ///< by the firmware's bridge outputs
  std::array<std::int32_t, 2> counts_{};             ///< latched once per step of time
  std::int64_t time_ns_ = 1'000'000;
  std::int64_t hand_ends_ns_ = 0;
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  std::int64_t pressed_ns_ = never;
  std::int64_t timer_stopped_ns_ = never;
  std::uint32_t session_ = 1;
  std::array<std::int32_t, 2> counts_at_boot_{};
  std::uint16_t sequence_ = 0;
  bool opened_ = false;
  bool first_read_ = true;
  bool armed_ = false;
  double peak_excursion_ = 0.0;
};

}  // namespace fivebar_control
