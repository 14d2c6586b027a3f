// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/multibody/problem.hpp"

namespace fivebar_control::multibody
{
namespace
{

/// The interval that holds t, the weight of its right node, and whether t is on the signal at all.
struct NodeInterval
{
  Eigen::Index left = 0;
  Eigen::Index right = 0;
  double weight = 0.0;
};

NodeInterval interval_of(const Input & input, double t)
{
  const Eigen::Index last = input.nodes.size() - 1;
  const double position = t / input.step + 1e-9;
  if (last == 0 || position > static_cast<double>(last) + 1e-6)
  {
    return {last, last, 0.0};
  }
  const auto k =
    std::min<Eigen::Index>(static_cast<Eigen::Index>(std::max(position, 0.0)), last - 1);
  return {k, k + 1, t / input.step - static_cast<double>(k)};
}

}  // namespace

VectorD Problem::local_rate(double t, const VectorD & parameters) const
{
  VectorD rate = VectorD::Zero(local_parameters());
  for (std::size_t i = 0; i < inputs.size(); ++i)
  {
    const Input & input = inputs[i];
    const NodeInterval interval = interval_of(input, t);
    const auto node = [&](Eigen::Index j) {
      return input.first_parameter >= 0 ? parameters(input.first_parameter + j) : input.nodes(j);
    };
    rate(structural + static_cast<Eigen::Index>(i)) =
      (node(interval.right) - node(interval.left)) / input.step;
  }
  return rate;
}

void Problem::add_global(double t, const MatrixD & local, MatrixD & global) const
{
  global.leftCols(structural) += local.leftCols(structural);
  for (std::size_t i = 0; i < inputs.size(); ++i)
  {
    const Input & input = inputs[i];
    if (input.first_parameter < 0)
    {
      continue;
    }
    const NodeInterval interval = interval_of(input, t);
    const auto column = local.col(structural + static_cast<Eigen::Index>(i));
    global.col(input.first_parameter + interval.left) += (1.0 - interval.weight) * column;
    global.col(input.first_parameter + interval.right) += interval.weight * column;
  }
}

}  // namespace fivebar_control::multibody
