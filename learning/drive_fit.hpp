// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "drive_search.hpp"
#include "fivebar_control/learning/identify.hpp"
#include "fivebar_control/model/drive_dynamics.hpp"

namespace fivebar_control
{

/// A motion model with drives that are not ideal.
struct DriveModel
{
  MotionModel motion;
  Drives drives;
  Eigen::Vector2d rotor = Eigen::Vector2d::Ones();  ///< inertia, as a factor on the robot file's
};

/// Levenberg-Marquardt on the output error of the equations with drives. Derivatives are
/// differences: there are few unknowns, and it runs only where the rigid model has failed.
class DriveFit
{
public:
  DriveFit(
    const LumpModel & model, const std::vector<RecordedMotion> & motions,
    const std::vector<int> & free_lumps, const std::vector<DriveGroup> & groups);

  /// Sum of squares over all logs and the prior on the rotors; not finite where a motion is lost.
  double chi_square(const DriveModel & at, int delay) const;
  struct Result
  {
    double chi_square = 0.0;
    int iterations = 0;
    bool converged = false;
  };
  Result improve(DriveModel & at, int delay, int most_iterations) const;
  /// Information about the unknowns: free lumps, numbers of the drives, starts of the logs.
  FitInformation information(const DriveModel & at, int delay) const;
  /// Numbers of the drives that are free, with deviations from a covariance of all unknowns.
  std::vector<Estimate> estimates(const DriveModel & at, const Eigen::MatrixXd & covariance) const;
  /// Readings that the model expects of one log.
  std::vector<Eigen::Vector2d> predicted(
    const DriveModel & at, std::size_t motion, int delay) const;

private:
  /// A number of one drive, as the fit sees it: logarithms of what must be positive.
  struct Unknown
  {
    std::size_t drive;
    double Drive::*number;  ///< null: the rotor's inertia
    bool logarithmic;
    bool both = false;  ///< the same in both drives
    const char * name;
    const char * unit;
  };
  double value_of(const DriveModel & at, const Unknown & unknown) const;
  Eigen::VectorXd values(const DriveModel & at) const;
  DriveModel with(const DriveModel & at, const Eigen::VectorXd & values) const;
  Eigen::VectorXd steps() const;
  Eigen::VectorXd residuals(const DriveModel & at, int delay) const;
  Eigen::MatrixXd jacobian(const DriveModel & at, int delay) const;

  const LumpModel & model_;
  const std::vector<RecordedMotion> & motions_;
  std::vector<int> free_lumps_;
  std::vector<Unknown> unknowns_;
};

}  // namespace fivebar_control
