// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/learning/identify.hpp"

namespace fivebar_control
{

/// Fills `base`, `lumps` and `unseen` of an identification from its values and their covariance.
void describe_estimates(
  const LumpModel & model, const Eigen::Matrix<double, lump_count, lump_count> & covariance,
  Identification & found);

}  // namespace fivebar_control
