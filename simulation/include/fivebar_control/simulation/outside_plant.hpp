// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "fivebar_control/simulation/simulated_robot.hpp"

namespace fivebar_control
{

/// Motors, amplifiers and encoders of a plant file for a simulator that moves the links itself,
/// when it likes to: Gazebo. That simulator has the links, their friction and the motors' damping
/// from gazebo_urdf_of() of the same plant. Per control period, in this order:
///
///   robot().write(volts);  torques();  the simulator moves;  moved(state);  robot().read(sample);
///
/// Delay, supply, watchdog, wiring, counts and noise are the code of the simulated robot. Nothing
/// here allocates after the constructor.
class OutsidePlant
{
public:
  /// Throws InputError for what Gazebo's model cannot have: `plant` as the plant file says.
  OutsidePlant(const RobotModel & robot, const PlantParameters & plant, std::int64_t period_ns);

  SimulatedRobot & robot() { return *robot_; }
  /// V at the motors in the period that now begins or is under way.
  Eigen::Vector2d volts() noexcept;
  /// N m at the driven joints, beside the damping that the simulator has: for the period that now
  /// begins, or for another step of it.
  Eigen::Vector2d torques() noexcept;
  /// The simulator has brought the links to (phi1, phi4, w1, w4).
  void moved(const Eigen::Vector4d & state) noexcept;

private:
  class Engine;

  Engine * engine_;  ///< the robot's
  std::unique_ptr<SimulatedRobot> robot_;
  Eigen::Vector2d torque_gain_;
  Cogging cogging_;
};

/// Throws InputError for effects that neither Gazebo's model nor OutsidePlant has.
void require_gazebo_plant(const RobotModel & robot, const PlantParameters & plant);

/// N m: what torque ripple does to a link at this angle.
double cogging_torque(const Cogging & cogging, double angle);

}  // namespace fivebar_control
