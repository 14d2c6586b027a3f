// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "fivebar_control/learning/lump_model.hpp"

namespace fivebar_control
{

using LumpCovariance = Eigen::Matrix<double, lump_count, lump_count>;

/// Covariance of the free lumps and of whatever else is unknown after them, from the information
/// about them. A wide prior keeps directions that the data do not show from becoming infinite.
Eigen::MatrixXd covariance_of(
  const LumpModel & model, const std::vector<int> & free, Eigen::MatrixXd information);

/// Of all lumps, zero where they are not free.
LumpCovariance lump_covariance(const std::vector<int> & free, const Eigen::MatrixXd & covariance);

}  // namespace fivebar_control
