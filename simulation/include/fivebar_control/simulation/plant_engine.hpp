// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>

#include "fivebar_control/simulation/plant.hpp"

namespace fivebar_control
{

/// The mechanics of a simulated robot: links, joints and motors under given volts. The rest of
/// a plant is SimulatedPlant's. Deterministic; advance() does not allocate.
class PlantEngine
{
public:
  virtual ~PlantEngine() = default;
  /// Continues from (phi1, phi4, w1, w4). Where the linkage cannot close, the state gets not
  /// finite.
  virtual void reset(const Eigen::Vector4d & state) = 0;
  /// Lets `duration` seconds pass with these volts at the motors.
  virtual void advance(const Eigen::Vector2d & volts, double duration) noexcept = 0;
  /// (phi1, phi4, w1, w4); not finite once the engine has lost the robot.
  virtual Eigen::Vector4d state() const noexcept = 0;
  /// m, where P truly is: of the plant's own geometry.
  virtual Eigen::Vector2d end_effector() const noexcept = 0;
  /// m between the ends of links 2 and 3, which should be one point: the largest so far.
  /// Zero for an engine whose loop is closed by construction.
  virtual double largest_loop_error() const noexcept = 0;
  /// V s/rad at the links, that each motor generates: at these volts no current flows.
  virtual Eigen::Vector2d back_emf_constants() const noexcept = 0;
  /// The same of the motors, at the links' scale: not the links' where drives yield.
  virtual Eigen::Vector4d motor_state() const noexcept { return state(); }
  /// What the drives have beyond the model, of which the amplifiers are the plant's affair.
  virtual const Drives & drives() const noexcept
  {
    static const Drives ideal;
    return ideal;
  }
  /// For messages: "MuJoCo 2.2.2".
  virtual std::string name() const = 0;
};

/// Makes the mechanics of a simulated robot.
using EngineMaker = std::unique_ptr<PlantEngine> (*)(const RobotModel &, const PlantParameters &);

/// The package's own equations of motion, classical Runge-Kutta.
std::unique_ptr<PlantEngine> make_equations_engine(
  const RobotModel & robot, const PlantParameters & plant);

}  // namespace fivebar_control
