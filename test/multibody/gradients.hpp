// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "fivebar_control/multibody/sensitivity.hpp"

namespace fivebar_control::multibody
{

/// Largest difference of the entries, relative to the largest entry of each row of `expected`.
inline double relative_difference(const MatrixD & actual, const MatrixD & expected)
{
  double worst = 0.0;
  for (Eigen::Index i = 0; i < expected.rows(); ++i)
  {
    const double scale = expected.row(i).cwiseAbs().maxCoeff();
    worst = std::max(worst, (actual.row(i) - expected.row(i)).cwiseAbs().maxCoeff() / scale);
  }
  return worst;
}

}  // namespace fivebar_control::multibody
