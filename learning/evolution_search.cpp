// SPDX-License-Identifier: Apache-2.0
#include "evolution_search.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "fivebar_control/support/random.hpp"

namespace fivebar_control
{

EvolutionSearch::EvolutionSearch(const Eigen::VectorXd & start, double step, std::uint64_t seed)
: size_(start.size()),
  state_(seed),
  mean_(start),
  best_(start),
  step_(step),
  best_cost_(std::numeric_limits<double>::infinity())
{
  const auto n = static_cast<double>(size_);
  const auto population = 4 + static_cast<Eigen::Index>(3.0 * std::log(n));
  const Eigen::Index parents = population / 2;
  weights_.resize(parents);
  for (Eigen::Index i = 0; i < parents; ++i)
  {
    weights_[i] =
      std::log(0.5 * static_cast<double>(population) + 0.5) - std::log(static_cast<double>(i + 1));
  }
  weights_ /= weights_.sum();
  effective_ = 1.0 / weights_.squaredNorm();
  step_rate_ = (effective_ + 2.0) / (n + effective_ + 5.0);
  step_damping_ =
    1.0 + 2.0 * std::max(0.0, std::sqrt((effective_ - 1.0) / (n + 1.0)) - 1.0) + step_rate_;
  path_rate_ = (4.0 + effective_ / n) / (n + 4.0 + 2.0 * effective_ / n);
  rank_one_ = 2.0 / ((n + 1.3) * (n + 1.3) + effective_);
  rank_many_ = std::min(
    1.0 - rank_one_,
    2.0 * (effective_ - 2.0 + 1.0 / effective_) / ((n + 2.0) * (n + 2.0) + effective_));
  expected_ = std::sqrt(n) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
  path_step_ = path_shape_ = Eigen::VectorXd::Zero(size_);
  deviations_ = Eigen::VectorXd::Ones(size_);
  covariance_ = axes_ = Eigen::MatrixXd::Identity(size_, size_);
  samples_.resize(size_, population);
  drawn_.resize(size_, population);
}

void EvolutionSearch::draw()
{
  Random random(state_, static_cast<std::uint64_t>(generations_));
  for (Eigen::Index i = 0; i < drawn_.size(); ++i)
  {
    // Box and Muller; the same numbers with every compiler.
    const double radius = std::sqrt(-2.0 * std::log(random.uniform(0x1p-53, 1.0)));
    drawn_.data()[i] = radius * std::cos(2.0 * std::numbers::pi * random.uniform(0.0, 1.0));
  }
  drawn_ = (axes_ * deviations_.asDiagonal() * drawn_).eval();
  samples_ = (step_ * drawn_).colwise() + mean_;
}

void EvolutionSearch::advance(const std::function<double(const Eigen::VectorXd &)> & cost)
{
  draw();
  const auto population = static_cast<std::size_t>(samples_.cols());
  std::vector<double> costs(population);
  for (std::size_t i = 0; i < population; ++i)
  {
    const Eigen::VectorXd sample = samples_.col(static_cast<Eigen::Index>(i));
    costs[i] = cost(sample);
    ++evaluations_;
    if (costs[i] < best_cost_)
    {
      best_cost_ = costs[i];
      best_ = sample;
    }
  }
  std::vector<std::size_t> order(population);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(
    order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
  Eigen::MatrixXd steps(size_, weights_.size());
  for (Eigen::Index i = 0; i < weights_.size(); ++i)
  {
    steps.col(i) = drawn_.col(static_cast<Eigen::Index>(order[static_cast<std::size_t>(i)]));
  }
  ++generations_;
  adapt(steps);
}

/// `steps`: of the best, in units of the step size, best first.
void EvolutionSearch::adapt(const Eigen::MatrixXd & steps)
{
  const auto n = static_cast<double>(size_);
  const Eigen::VectorXd moved = steps * weights_;
  mean_ += step_ * moved;
  const Eigen::VectorXd white =
    axes_ * deviations_.cwiseInverse().asDiagonal() * (axes_.transpose() * moved);
  path_step_ = (1.0 - step_rate_) * path_step_ +
               std::sqrt(step_rate_ * (2.0 - step_rate_) * effective_) * white;
  const double length =
    path_step_.norm() / std::sqrt(1.0 - std::pow(1.0 - step_rate_, 2.0 * generations_));
  const double heaviside = length < (1.4 + 2.0 / (n + 1.0)) * expected_ ? 1.0 : 0.0;
  path_shape_ = (1.0 - path_rate_) * path_shape_ +
                heaviside * std::sqrt(path_rate_ * (2.0 - path_rate_) * effective_) * moved;
  const double kept =
    1.0 - rank_one_ - rank_many_ + (1.0 - heaviside) * rank_one_ * path_rate_ * (2.0 - path_rate_);
  covariance_ = kept * covariance_ + rank_one_ * path_shape_ * path_shape_.transpose() +
                rank_many_ * steps * weights_.asDiagonal() * steps.transpose();
  step_ *= std::exp((step_rate_ / step_damping_) * (path_step_.norm() / expected_ - 1.0));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance_);
  axes_ = solver.eigenvectors();
  deviations_ = solver.eigenvalues().cwiseMax(1e-20).cwiseSqrt();
}

}  // namespace fivebar_control
