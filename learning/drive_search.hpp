// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fivebar_control/learning/identify.hpp"

namespace fivebar_control
{

/// Adds what the drives have beyond the rigid model: what is asked for, what the robot file already
/// says, and what the data call for. `found` is the rigid result.
void extend_by_drives(
  const LumpModel & model, const std::vector<RecordedMotion> & motions,
  const IdentifyOptions & options, const std::vector<int> & free_lumps, Identification & found);

/// Deviations and words of the free lumps, which come first among the unknowns; the covariance.
Eigen::MatrixXd fill_deviations(
  const LumpModel & model, const std::vector<int> & free, Eigen::MatrixXd information,
  Identification & found);

}  // namespace fivebar_control
