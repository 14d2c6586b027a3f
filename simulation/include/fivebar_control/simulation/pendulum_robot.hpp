// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>

#include "fivebar_control/simulation/pendulum_engine.hpp"
#include "fivebar_control/support/random.hpp"

namespace fivebar_control
{

/// What a simulated robot with a pendulum is like beside its mechanics.
struct PendulumPlant
{
  double counts_per_turn = 4096.0;  ///< of each of the four encoders
  double angle_noise = 0.0;         ///< rad, standard deviation before rounding
  Eigen::Vector4d zero_error = Eigen::Vector4d::Zero();  ///< rad, of the encoders' zeros
  double supply_voltage = 24.0;                          ///< V, either way
  int delay_cycles = 0;                                  ///< from the controller to the motors
  std::uint64_t seed = 1;                                ///< of the noise
};

/// Motors that hold their volts over a cycle, encoders that count.
class PendulumRobot
{
public:
  PendulumRobot(
    std::unique_ptr<PendulumEngine> engine, const PendulumPlant & plant,
    const PendulumState<double> & start);

  /// phi1, phi4, a1, a2 as the encoders show them; noise is drawn once per call.
  Eigen::Vector4d read();
  void advance(const Eigen::Vector2d & volts, double period) noexcept;
  PendulumState<double> truth() const { return engine_->state(); }
  const PendulumEngine & engine() const { return *engine_; }

private:
  std::unique_ptr<PendulumEngine> engine_;
  PendulumPlant plant_;
  std::array<Eigen::Vector2d, 21> delayed_;
  std::size_t now_ = 0;
  std::mt19937_64 random_;
  std::normal_distribution<double> noise_;
};

/// What robots that nobody has measured are like: every mass, centre, moment of inertia and motor
/// constant of robot and pendulum times 1 +- `share`, each by itself. Lengths and pivots are kept,
/// because the encoders' zeros are set by them.
struct RandomPendulum
{
  PendulumConstants<double> constants;
  RobotParameters robot;
  PendulumParameters pendulum;
};
RandomPendulum random_pendulum(
  const RobotModel & robot, const PendulumParameters & pendulum, double share, Random & random);

}  // namespace fivebar_control
