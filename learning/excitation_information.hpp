// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "fivebar_control/learning/excite.hpp"
#include "fivebar_control/learning/output_error.hpp"

namespace fivebar_control
{

using MotionInformation = Eigen::Matrix<double, OutputError::unknowns, OutputError::unknowns>;

/// What readings along a motion show, for robots near the one of a file: information in the order
/// of OutputError, and from it what each parameter may be expected to be known to.
class ExcitationInformation
{
public:
  ExcitationInformation(const RobotModel & robot, const ExciteOptions & options);

  /// State and volts at a time from 0 to `duration`.
  using Path = std::function<std::pair<Eigen::Vector4d, Eigen::Vector2d>(double t)>;
  /// By sensitivities along the path itself, with Runge-Kutta steps of about `step` s.
  MotionInformation of(const Path & path, double duration, double step) const;
  std::vector<ExpectedSigma> expected(const MotionInformation & information) const;
  /// The largest share of those that are wanted.
  double worst(const MotionInformation & information) const;

private:
  struct Rates
  {
    Eigen::Matrix<double, 2, 4> by_state;
    Eigen::Matrix<double, 2, moving_lumps> by_lumps;
  };
  Rates rates_at(const Eigen::Vector4d & x, const Eigen::Vector2d & u) const;

  LumpModel model_;
  std::vector<LumpGroup> wanted_;
  std::vector<int> free_;
  double readings_per_second_, variance_;
};

/// Inertia, gain, damping and coulomb: what identification frees by itself.
std::vector<LumpGroup> wanted_groups(const ExciteOptions & options);

/// rad², of one reading.
double reading_variance(const ExciteOptions & options);

}  // namespace fivebar_control
