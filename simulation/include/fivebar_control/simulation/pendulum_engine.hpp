// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "fivebar_control/model/pendulum_dynamics.hpp"

namespace fivebar_control
{

/// The mechanics of a simulated robot with a pendulum. Deterministic; advance() does not allocate.
class PendulumEngine
{
public:
  virtual ~PendulumEngine() = default;
  virtual void reset(const PendulumState<double> & state) = 0;
  /// Lets `duration` seconds pass, the volts going linearly from `from` to `to`.
  virtual void advance(
    const Eigen::Vector2d & from, const Eigen::Vector2d & to, double duration) noexcept = 0;
  /// (phi1, phi4, a1, a2) and their rates; not finite once the engine has lost the robot.
  virtual PendulumState<double> state() const noexcept = 0;
  virtual std::string name() const = 0;
};

/// Our equations, in Runge-Kutta steps of at most `longest_step` seconds.
std::unique_ptr<PendulumEngine> make_pendulum_engine(
  const PendulumConstants<double> & constants, double longest_step = 1e-4);

/// MuJoCo with bodies and hinges. Throws InputError without MuJoCo, and for axes that no link
/// carries.
std::unique_ptr<PendulumEngine> make_mujoco_pendulum(
  const RobotModel & robot, const PendulumParameters & pendulum, double step = 5e-5);

/// The model as MuJoCo reads it: that of the robot, with the pendulum on link 2.
std::string pendulum_mjcf(
  const RobotModel & robot, const PendulumParameters & pendulum, double step);

}  // namespace fivebar_control
