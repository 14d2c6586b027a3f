#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "fivebar_control/planner/plan.hpp"

namespace fivebar_control
{

/// What the law is asked for in one cycle; (joint 1, joint 4).
struct Reference
{
  Eigen::Vector2d feedforward = Eigen::Vector2d::Zero();  ///< V
  Eigen::Vector2d phi = Eigen::Vector2d::Zero();          ///< rad
  Eigen::Vector2d speed = Eigen::Vector2d::Zero();        ///< rad/s
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
    Eigen::Vector2d voltage, phi, speed;
  };
  std::vector<Node> nodes_;
  double duration_;
};

/// Runs through a plan. Counts in nanoseconds, so that equal cycles give equal times for ever.
class Player
{
public:
  void rewind(const PlayablePlan & plan)
  {
    plan_ = &plan;
    time_ns_ = 0;
    interval_ = 0;
  }
  void advance(std::int64_t by_ns) { time_ns_ += by_ns; }
  double time() const { return static_cast<double>(time_ns_) * 1e-9; }
  bool at_end() const { return time() > plan_->duration() + 1e-10; }
  Reference reference() { return plan_->at(time(), interval_); }

private:
  const PlayablePlan * plan_ = nullptr;
  std::int64_t time_ns_ = 0;
  std::size_t interval_ = 0;
};

}  // namespace fivebar_control
