// SPDX-License-Identifier: Apache-2.0
#include "correlated_covariance.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>

namespace fivebar_control
{
namespace
{

/// Long-run variance: mean square of the sums over all windows, those that reach over the ends
/// among them, which are Bartlett's weights on the products of two cycles.
Eigen::MatrixXd long_run(const Scores & scores, int cycles)
{
  const Eigen::Index width = std::min<Eigen::Index>(cycles, scores.rows());
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(scores.cols(), scores.cols());
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(scores.cols());
  for (Eigen::Index end = 0; end < scores.rows() + width - 1; ++end)
  {
    if (end < scores.rows())
    {
      sum += scores.row(end);
    }
    if (end >= width)
    {
      sum -= scores.row(end - width);
    }
    all.noalias() += sum.transpose() * sum;
  }
  return all / static_cast<double>(width);
}

}  // namespace

Eigen::MatrixXd widened_by_correlation(
  const Eigen::MatrixXd & covariance, const std::vector<Scores> & logs, int cycles)
{
  // Units differ by far.
  const Eigen::VectorXd unit = covariance.diagonal().cwiseMax(1e-300).cwiseSqrt();
  const Eigen::VectorXd per_unit = unit.cwiseInverse();
  const Eigen::MatrixXd scaled = per_unit.asDiagonal() * covariance * per_unit.asDiagonal();
  const Eigen::LLT<Eigen::MatrixXd> root(scaled);
  if (root.info() != Eigen::Success)
  {
    return covariance;
  }
  Eigen::MatrixXd scores = Eigen::MatrixXd::Zero(covariance.rows(), covariance.cols());
  for (const Scores & log : logs)
  {
    scores += long_run(log, cycles);
  }
  const Eigen::MatrixXd left = unit.asDiagonal() * Eigen::MatrixXd(root.matrixL());
  // One in every direction if the errors were independent.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> growth(left.transpose() * scores * left);
  const Eigen::MatrixXd turned = left * growth.eigenvectors();
  return turned * growth.eigenvalues().cwiseMax(1.0).asDiagonal() * turned.transpose();
}

}  // namespace fivebar_control
