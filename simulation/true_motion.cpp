// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/simulation/true_motion.hpp"

#include <algorithm>
#include <cmath>

namespace fivebar_control
{

TrueMotion::TrueMotion(const RobotModel & robot)
: geometry_(robot.constants().geometry), margin_(robot.limits().singularity_margin)
{
}

void TrueMotion::see(const SimulatedPlant & plant) noexcept
{
  const Eigen::Vector4d & state = plant.state();
  peaks_.speed = std::max(peaks_.speed, state.tail<2>().cwiseAbs().maxCoeff());
  peaks_.volts = std::max(peaks_.volts, plant.motor_volts().cwiseAbs().maxCoeff());
  const Pose<double> pose = pose_at<double>(geometry_, state[0], state[1]);
  // Negated: a linkage that does not close gives NaN.
  peaks_.into_singularity =
    peaks_.into_singularity || plant.has_jammed() || !(std::abs(pose.s23) >= margin_);
}

void TrueMotion::see(const SimulatedPlant & plant, const Eigen::Vector2d & reference) noexcept
{
  see(plant);
  peaks_.error =
    std::max(peaks_.error, (plant.state().head<2>() - reference).cwiseAbs().maxCoeff());
}

}  // namespace fivebar_control
