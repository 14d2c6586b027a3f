// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "fivebar_control/learning/lump_model.hpp"
#include "fivebar_control/learning/recorded_motion.hpp"

namespace fivebar_control
{

/// A model of a recorded motion: the lumps that all logs share and where each log began.
struct MotionModel
{
  LumpValues<double> lumps;
  std::vector<Eigen::Vector2d> start;  ///< rad, true angles at the first row of each log
};

/// How the predicted motion is kept near the measured one.
struct Prediction
{
  int delay = 0;  ///< cycles from the writing of volts to their effect
  /// Hz; 0: the model alone, which is the error to minimise. Above, the prediction is drawn to the
  /// readings with this bandwidth, so that a model that is far off still gives a motion.
  double pull = 0.0;
};

/// Sum of squares of (reading - prediction) / standard deviation of one log with its Gauss-Newton
/// model; unknowns are the lumps, then the two angles at the start.
struct OutputError
{
  static constexpr int unknowns = lump_count + 2;
  double chi_square = 0.0;  ///< not finite where the model leaves the workspace
  std::size_t readings = 0;
  Eigen::Matrix<double, unknowns, unknowns> information;
  Eigen::Matrix<double, unknowns, 1> gradient;  ///< minus half of d(chi square)
};

/// What the readings of each cycle add to the gradient.
using Pulls = std::vector<Eigen::Matrix<double, OutputError::unknowns, 1>>;

/// Direct sensitivities of the same Runge-Kutta steps that give the motion: exact derivatives.
/// `pulls` gets one entry per cycle, if given.
OutputError output_error(
  const LumpModel & model, const LumpValues<double> & lumps, const Eigen::Vector2d & start,
  const RecordedMotion & motion, const Prediction & prediction, Pulls * pulls = nullptr);

/// The sum of squares alone, without derivatives; `predicted` gets the readings that the model
/// expects, if given.
double chi_square(
  const LumpModel & model, const LumpValues<double> & lumps, const Eigen::Vector2d & start,
  const RecordedMotion & motion, const Prediction & prediction,
  std::vector<Eigen::Vector2d> * predicted = nullptr);

}  // namespace fivebar_control
