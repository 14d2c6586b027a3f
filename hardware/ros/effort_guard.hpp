// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>

#include "fivebar_control/controller/guard.hpp"
#include "fivebar_control/controller/output_guard.hpp"

namespace fivebar_control
{

/// Why motors that a foreign controller drives by efforts were stopped. The numbers are those of
/// the state interface `guard` (docs/ros.md).
enum class EffortStop
{
  none = 0,
  not_finite = 1,  ///< an effort that is no number
  stale = 2,       ///< the links move under efforts that do not change
  joint_range = 3,
  joint_speed = 4,
  singularity = 5,  ///< too near to one
  encoder = 6,      ///< frozen, jumping, or no number
  connection = 7,   ///< failed reads, or a fault of the device
  saturation = 8,   ///< more volts than there are, for too long
  chatter = 9,      ///< the volts go to and fro too fast
  overload = 10,    ///< more current than a motor stands
};

/// The guard below any controller. It knows the robot but no plan: limits of the motion, encoders,
/// connection, commands that nobody renews, and what the motors are asked for: gains that are far
/// too high shake the robot within its limits. Latches nothing; allocates nothing.
class EffortGuard
{
public:
  struct Cycle
  {
    bool read_good = true;
    bool device_good = true;
    Eigen::Vector2d angle = Eigen::Vector2d::Zero();   ///< rad
    Eigen::Vector2d before = Eigen::Vector2d::Zero();  ///< rad, at the sample before
    Eigen::Vector2d speed = Eigen::Vector2d::Zero();   ///< rad/s
    Eigen::Vector2d volts = Eigen::Vector2d::Zero();   ///< V that were applied since then
    Eigen::Vector2d effort = Eigen::Vector2d::Zero();  ///< N m that are wanted now
    Eigen::Vector2d wanted = Eigen::Vector2d::Zero();  ///< V that this asks for
    Eigen::Vector2d next = Eigen::Vector2d::Zero();    ///< V of these that the motors will get
    std::int64_t elapsed_ns = 0;                       ///< between the samples; 0: no new one
  };

  EffortGuard(const RobotModel & robot, std::int64_t timeout_ns);

  /// When efforts begin to count.
  void reset();
  EffortStop check(const Cycle & cycle);
  /// No effort drives the motors for so long.
  void cool(std::int64_t elapsed_ns);
  /// What the last check found, as a sentence. Not for the real-time path.
  std::string explanation() const;

private:
  Finding find(const Cycle & cycle);
  bool is_stale(const Cycle & cycle);

  Guard guard_;
  OutputGuard output_;
  std::int64_t timeout_ns_;
  std::int64_t unchanged_ns_ = 0;  ///< moving under the same efforts
  Eigen::Vector2d effort_ = Eigen::Vector2d::Zero();
  EffortStop stop_ = EffortStop::none;
  Finding finding_;
};

}  // namespace fivebar_control
