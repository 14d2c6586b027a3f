// SPDX-License-Identifier: Apache-2.0
#include "lump_covariance.hpp"

#include <Eigen/LU>
#include <cmath>

namespace fivebar_control
{

LumpCovariance lump_covariance(
  const LumpModel & model, const std::vector<int> & free, Eigen::MatrixXd information)
{
  const LumpValues<double> scale = model.scale();
  for (std::size_t i = 0; i < free.size(); ++i)
  {
    const auto at = static_cast<Eigen::Index>(i);
    information(at, at) += 1.0 / std::pow(10.0 * scale[free[i]], 2);
  }
  const Eigen::MatrixXd inverse = information.inverse();
  LumpCovariance all = LumpCovariance::Zero();
  for (std::size_t i = 0; i < free.size(); ++i)
  {
    for (std::size_t j = 0; j < free.size(); ++j)
    {
      all(free[i], free[j]) = inverse(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    }
  }
  return all;
}

}  // namespace fivebar_control
