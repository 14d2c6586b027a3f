// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/commission/driver.hpp"
#include "fivebar_control/model/robot_model.hpp"

namespace fivebar_control::commission
{

/// How a joint answers its volts, from the model whose motion is nearest to the measured one:
/// inertia_scale M(q) q'' = torque_gain u(t - delay) - damping q' - coulomb sign(q'), the motor's
/// torque per volt being the robot file's.
struct JointResponse
{
  double inertia_scale = 1.0;  ///< of the robot file's
  double damping = 0.0;        ///< N m s/rad at the link: back-EMF and all viscous friction
  double coulomb = 0.0;        ///< N m
  double delay = 0.0;          ///< s from write() to the motor
  double residual = 0.0;       ///< rad, root mean square
  bool converged = false;
};

/// Least squares over the whole track, by Levenberg and Marquardt.
JointResponse fit_response(const RobotModel & robot, const Track & track, std::size_t joint);

/// Angle of the joint in each point of the track, rad from the first, as the model with this
/// response moves.
Eigen::VectorXd predict(
  const RobotModel & robot, const Track & track, std::size_t joint, const JointResponse & response);

}  // namespace fivebar_control::commission
