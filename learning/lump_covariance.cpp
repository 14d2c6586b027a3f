// SPDX-License-Identifier: Apache-2.0
#include "lump_covariance.hpp"

#include <Eigen/LU>
#include <cmath>

namespace fivebar_control
{

Eigen::MatrixXd covariance_of(
  const LumpModel & model, const std::vector<int> & free, Eigen::MatrixXd information)
{
  const LumpValues<double> scale = model.scale();
  for (std::size_t i = 0; i < free.size(); ++i)
  {
    const auto at = static_cast<Eigen::Index>(i);
    information(at, at) += 1.0 / std::pow(10.0 * scale[free[i]], 2);
  }
  return information.inverse();
}

LumpCovariance lump_covariance(const std::vector<int> & free, const Eigen::MatrixXd & covariance)
{
  LumpCovariance all = LumpCovariance::Zero();
  for (std::size_t i = 0; i < free.size(); ++i)
  {
    for (std::size_t j = 0; j < free.size(); ++j)
    {
      all(free[i], free[j]) =
        covariance(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    }
  }
  return all;
}

}  // namespace fivebar_control
