// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "correlated_covariance.hpp"
#include "fivebar_control/learning/identify.hpp"

namespace fivebar_control
{

/// Gauss-Newton model of all logs together; unknowns are the free lumps, then the angles at the
/// start of each log.
struct FitModel
{
  double chi_square = 0.0;
  std::size_t readings = 0;
  Eigen::MatrixXd information;
  Eigen::VectorXd gradient;
};

/// Levenberg-Marquardt with bounds on the output error of several logs.
class MotionFit
{
public:
  MotionFit(const LumpModel & model, const std::vector<RecordedMotion> & motions)
  : model_(model), motions_(motions)
  {
  }

  void set_free(const std::vector<LumpGroup> & groups);
  const std::vector<int> & free_lumps() const { return free_; }

  /// Sum of squares; not finite where a log's motion leaves the workspace.
  double chi_square(const MotionModel & at, const Prediction & prediction) const;
  /// `scores` gets those of each log by all unknowns, if given.
  FitModel linearised(
    const MotionModel & at, const Prediction & prediction,
    std::vector<Scores> * scores = nullptr) const;

  struct Result
  {
    double chi_square = 0.0;
    int iterations = 0;
    bool converged = false;
  };
  /// Improves `at`. Not finite at the start: chi_square says so and nothing is changed.
  Result improve(MotionModel & at, const Prediction & prediction, int most_iterations) const;

  /// Lumps that the last step wanted beyond their bounds.
  std::vector<Lump> at_bound(const MotionModel & at) const;

private:
  MotionModel moved(const MotionModel & from, const Eigen::VectorXd & step) const;
  Eigen::VectorXd step_of(
    const FitModel & fit, const MotionModel & at, double damping, double & predicted) const;

  const LumpModel & model_;
  const std::vector<RecordedMotion> & motions_;
  std::vector<int> free_;
};

}  // namespace fivebar_control
