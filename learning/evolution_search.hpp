// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>

namespace fivebar_control
{

/// Covariance matrix adaptation evolution strategy (Hansen and Ostermeier 2001): minimises a
/// function without derivatives, with kinks, that may be infinite in places. The same seed gives
/// the same search.
class EvolutionSearch
{
public:
  EvolutionSearch(const Eigen::VectorXd & start, double step, std::uint64_t seed);

  /// One generation.
  void advance(const std::function<double(const Eigen::VectorXd &)> & cost);

  const Eigen::VectorXd & best() const { return best_; }
  double best_cost() const { return best_cost_; }
  int evaluations() const { return evaluations_; }
  int population() const { return static_cast<int>(samples_.cols()); }
  /// The search has shrunk to a point.
  bool finished() const { return step_ * deviations_.maxCoeff() < 1e-6; }

private:
  void draw();
  void adapt(const Eigen::MatrixXd & steps);

  Eigen::Index size_;
  std::uint64_t state_;
  Eigen::VectorXd mean_, best_, weights_, path_step_, path_shape_, deviations_;
  Eigen::MatrixXd covariance_, axes_, samples_, drawn_;
  double step_, effective_, step_rate_, step_damping_, path_rate_, rank_one_, rank_many_, expected_;
  double best_cost_;
  int evaluations_ = 0, generations_ = 0;
};

}  // namespace fivebar_control
