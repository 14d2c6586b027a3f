// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "fivebar_control/plan/plan.hpp"

namespace fivebar_control
{

/// What the law is asked for in one cycle; (joint 1, joint 4).
struct Reference
{
  Eigen::Vector2d feedforward = Eigen::Vector2d::Zero();  ///< V
  Eigen::Vector2d phi = Eigen::Vector2d::Zero();          ///< rad
  Eigen::Vector2d speed = Eigen::Vector2d::Zero();        ///< rad/s
  Eigen::Vector2d learned = Eigen::Vector2d::Zero();      ///< V of it that the model lacks
  Eigen::Vector2d lead = Eigen::Vector2d::Zero();         ///< rad by which phi is ahead of links
};

/// A plan laid out for playing; immutable, made off the real-time path.
class PlayablePlan
{
public:
  /// At least two samples, time increasing (load_plan() has made sure).
  explicit PlayablePlan(const PlanSamples & samples);

  /// Between nodes as the planner means it: volts linear, angles cubic Hermite with the speeds.
  /// `interval` is the search hint of a caller whose time only grows.
  Reference at(double time, std::size_t & interval) const;
  const Eigen::Vector2d & start() const { return nodes_.front().phi; }
  double duration() const { return duration_; }

private:
  struct Node
  {
    double t;
    Eigen::Vector2d voltage, phi, speed, learned, lead;
  };
  std::vector<Node> nodes_;
  double duration_;
};

}  // namespace fivebar_control
