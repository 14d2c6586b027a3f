// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

namespace fivebar_control
{

/// What each cycle of one log pulls at the unknowns: rows are d(chi square)/2 of its readings.
using Scores = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Errors of successive readings resemble each other: rounding does as long as a link moves less
/// than a count per cycle, and so does whatever the model misses. The covariance of a fit, which
/// takes them for independent, then promises too much. This widens it by what the scores show over
/// windows of `cycles` (Bartlett weights), and never makes it narrower.
Eigen::MatrixXd widened_by_correlation(
  const Eigen::MatrixXd & covariance, const std::vector<Scores> & logs, int cycles);

}  // namespace fivebar_control
