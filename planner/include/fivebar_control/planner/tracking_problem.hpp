// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <vector>

#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/plan/planned_cost.hpp"

namespace fivebar_control
{

/// Equally spaced values of several quantities, each contiguous, padded so that SIMD code may read
/// a few entries past the end.
template <std::size_t n>
class Channels
{
public:
  void resize(std::size_t size)
  {
    for (std::vector<double> & channel : data_)
    {
      channel.assign(size + padding, 0.0);
    }
    size_ = size;
  }
  std::size_t size() const { return size_; }
  double * operator[](std::size_t i) { return data_[i].data(); }
  const double * operator[](std::size_t i) const { return data_[i].data(); }
  static constexpr std::size_t padding = 8;

private:
  std::array<std::vector<double>, n> data_;
  std::size_t size_ = 0;
};

/// Piecewise-linear voltages at nodes a time step apart must make the end-effector follow sampled
/// references; one classical Runge-Kutta step per interval.
struct TrackingProblem
{
  DynamicsConstants<double> dynamics;
  Eigen::Vector4d start = Eigen::Vector4d::Zero();  ///< x at the first node
  double step = 0.0;                                ///< s
  std::size_t intervals = 0;
  CostWeights weights;
  InputBounds bounds;
  double singularity_margin = 0.0;  ///< |sin| between links 2 and 3 that no node may fall below
  Channels<4> node_reference;       ///< x, y, vx, vy at the nodes
  Channels<4> middle_reference;     ///< the same in the middle of each interval

  std::size_t nodes() const { return intervals + 1; }
  double duration() const { return step * static_cast<double>(intervals); }
};

/// Parts of the cost; total() is J.
struct CostParts
{
  double position = 0.0;  ///< (1 - alpha) int |r - r*|²
  double velocity = 0.0;  ///< (1 - alpha) beta int |v - v*|²
  double terminal = 0.0;
  double soft = 0.0;
  double rate = 0.0;
  double total() const { return position + velocity + terminal + soft + rate; }
};

/// Voltages with the motion that they cause.
struct Trajectory
{
  Channels<2> input;  ///< u1, u4 at the nodes
  Channels<4> state;  ///< phi1, phi4, w1, w4 at the nodes
  CostParts cost;
  double barrier = 0.0;  ///< of the rate bounds, not part of J

  void resize(std::size_t nodes)
  {
    input.resize(nodes);
    state.resize(nodes);
  }
  Eigen::Vector2d u(std::size_t i) const { return {input[0][i], input[1][i]}; }
  Eigen::Vector4d x(std::size_t i) const
  {
    return {state[0][i], state[1][i], state[2][i], state[3][i]};
  }
};

}  // namespace fivebar_control
