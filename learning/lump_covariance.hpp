// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "fivebar_control/learning/lump_model.hpp"

namespace fivebar_control
{

using LumpCovariance = Eigen::Matrix<double, lump_count, lump_count>;

/// Covariance of the free lumps, zero elsewhere, from the information about them and whatever else
/// is unknown after them. A wide prior keeps directions that the data do not show from becoming
/// infinite.
LumpCovariance lump_covariance(
  const LumpModel & model, const std::vector<int> & free, Eigen::MatrixXd information);

}  // namespace fivebar_control
