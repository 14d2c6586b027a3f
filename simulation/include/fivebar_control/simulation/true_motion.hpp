// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/simulation/simulated_plant.hpp"

namespace fivebar_control
{

/// The worst of a simulated robot's true motion.
struct TruePeaks
{
  double speed = 0.0;  ///< rad/s, of a driven link
  double error = 0.0;  ///< rad, of a driven link against its reference
  double volts = 0.0;  ///< V, at a motor
  /// Whether links 2 and 3 came nearer to aligned than the robot's margin, or jammed there.
  bool into_singularity = false;
};

/// Watches what really happens to a simulated robot, whatever its encoders show. Does not allocate.
class TrueMotion
{
public:
  explicit TrueMotion(const RobotModel & robot);

  void see(const SimulatedPlant & plant) noexcept;
  /// The same, and how far the links are from where they should be.
  void see(const SimulatedPlant & plant, const Eigen::Vector2d & reference) noexcept;

  const TruePeaks & peaks() const { return peaks_; }

private:
  Geometry<double> geometry_;
  double margin_;
  TruePeaks peaks_;
};

}  // namespace fivebar_control
