// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/hardware/motor_hardware.hpp"
#include "fivebar_control/simulation/simulated_plant.hpp"

namespace fivebar_control
{

/// A plant and a motor board that waits for the control loop. Each read() but the
/// first lets one control period pass under the volts of the last write() (zero-order hold).
/// Deterministic: the same writes give the same counts to the last bit.
class SimulatedRobot : public MotorHardware
{
public:
  SimulatedRobot(
    const RobotModel & robot, const PlantParameters & plant, const Eigen::Vector2d & start,
    std::int64_t period_ns);
  /// The same with another engine than the package's own equations.
  SimulatedRobot(
    std::unique_ptr<PlantEngine> engine, const PlantParameters & plant,
    const Eigen::Vector2d & start, std::int64_t period_ns);

  HardwareError open() override;
  HardwareError arm() override;
  HardwareError read(MotorSample & sample) noexcept override;
  HardwareError write(const Eigen::Vector2d & volts) noexcept override;
  HardwareError disarm() noexcept override;
  void close() noexcept override {}

  Encoder encoder() const override;
  HardwareClock clock() const override { return HardwareClock::simulated; }
  std::string description() const override;
  std::optional<Eigen::Vector2d> true_point() const noexcept override
  {
    return plant_.engine().end_effector();
  }

  /// What read() does first, for who moves the mechanics at a time of its own: the volts of the
  /// period under way go to the engine. Does nothing a second time before the next read().
  void let_period_pass() noexcept;
  /// The engine has moved since: what read() shows is where it stands now.
  void look_again() noexcept { plant_.look_again(); }

  /// The true state (phi1, phi4, w1, w4), which no real robot would tell.
  const Eigen::Vector4d & state() const { return plant_.state(); }
  /// Volts at the motors in the last period: after delay, supply and watchdog.
  const Eigen::Vector2d & motor_volts() const { return plant_.motor_volts(); }
  const PlantEngine & engine() const { return plant_.engine(); }
  const SimulatedPlant & plant() const { return plant_; }

private:
  void pass_period();

  SimulatedPlant plant_;
  std::int64_t period_ns_;
  Eigen::Vector2d written_ = Eigen::Vector2d::Zero();
  std::array<Eigen::Vector2d, PlantParameters::longest_delay + 1> under_way_;  ///< newest first
  std::int64_t time_ns_ = 0;
  std::int64_t silence_ns_ = 0;  ///< since the last write()
  bool opened_ = false;
  bool armed_ = false;
  bool watchdog_tripped_ = false;
  bool passed_ = true;  ///< the period before the next read(); before the first there is none
};

}  // namespace fivebar_control
