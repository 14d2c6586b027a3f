// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/model/dynamics.hpp"
#include "fivebar_control/model/kinematics.hpp"
#include "fivebar_control/model/parameters.hpp"

namespace fivebar_control
{

/// A robot whose parameters were found valid; immutable. Workspaces live with the algorithms.
class RobotModel
{
public:
  /// Throws InputError with the key if the parameters describe no robot.
  explicit RobotModel(RobotParameters parameters);

  const RobotParameters & parameters() const { return parameters_; }
  const Physics<double> & physics() const { return parameters_.physics; }
  const Limits & limits() const { return parameters_.limits; }
  const DynamicsConstants<double> & constants() const { return constants_; }
  const Kinematics & kinematics() const { return kinematics_; }
  /// The elbow configuration of the home pose.
  WorkingMode working_mode() const { return working_mode_; }
  /// Home pose at rest, as a state x = (phi1, phi4, w1, w4).
  Eigen::Vector4d home_state() const;
  /// 16 hexadecimal digits over physics, assembly mode and home; stable under reformatting of the
  /// file. Name and limits are not part of it.
  const std::string & fingerprint() const { return fingerprint_; }

private:
  RobotParameters parameters_;
  DynamicsConstants<double> constants_;
  Kinematics kinematics_;
  WorkingMode working_mode_;
  std::string fingerprint_;
};

/// The reason why the parameters describe no robot, with the key it concerns; empty if they do.
struct ParameterDefect
{
  std::string key;
  std::string message;
};
ParameterDefect find_defect(const RobotParameters & parameters);

}  // namespace fivebar_control
