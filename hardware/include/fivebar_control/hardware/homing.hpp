// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "fivebar_control/hardware/motor_hardware.hpp"
#include "fivebar_control/model/robot_model.hpp"

namespace fivebar_control
{

enum class HomingMethod
{
  known_pose,   ///< the links stand at `angle` (when powered up, or when opened)
  index_pulse,  ///< the encoder's index mark is at `angle`
  end_stop,     ///< the mechanical stop is at `angle`
};

struct Homing
{
  HomingMethod method = HomingMethod::known_pose;
  bool at_open = false;                             ///< known_pose: now rather than at zero counts
  Eigen::Vector2d angle = Eigen::Vector2d::Zero();  ///< rad
  Eigen::Vector2d voltage =
    Eigen::Vector2d::Zero();                        ///< V that moves the links there, with its sign
  double still_time = 0.15;                         ///< s without a count: the stop is reached
  double timeout = 5.0;                             ///< s per joint
  Eigen::Vector2d start = Eigen::Vector2d::Zero();  ///< rad, where the links stand before, about
  double tolerance = 0.15;                          ///< rad, how well `start` is known
};

/// The search of one joint for its mark or its stop, cycle by cycle: no clock, no device. The volts
/// keep the robot's limit and slew; joint ranges, speed and singularity margins are watched as well
/// as the pose is known, which is to within the tolerance of `start`.
class HomingSearch
{
public:
  enum class State
  {
    searching,
    found,
    failed,
  };

  HomingSearch(const RobotModel & robot, const Homing & homing, std::size_t joint);

  /// `angle`: where the links are believed to stand by this sample; `mark`: where this joint was at
  /// its index pulse, by the same belief; `elapsed`: s since the sample before.
  State update(
    const MotorSample & sample, const Eigen::Vector2d & angle, double mark, double elapsed);

  /// For the motors now; zero unless it is searching.
  const Eigen::Vector2d & volts() const { return volts_; }
  /// Of the joint, at its mark or stop.
  std::int64_t counts() const { return counts_; }
  /// Why it failed.
  const std::string & complaint() const { return complaint_; }

private:
  std::string violation(const Eigen::Vector2d & angle) const;
  std::string wrong_way() const;
  bool is_where_it_can_be(double angle) const;
  State look_for_stop(const MotorSample & sample, double angle, double elapsed);
  State look_for_mark(const MotorSample & sample, double mark);
  State fail(std::string why);

  const RobotModel & robot_;
  Homing homing_;
  std::size_t joint_;
  Eigen::Vector2d volts_ = Eigen::Vector2d::Zero();
  Eigen::Vector2d angle_ = Eigen::Vector2d::Zero();
  Eigen::Vector2d speed_ = Eigen::Vector2d::Zero();
  bool started_ = false;
  Eigen::Vector2d first_ = Eigen::Vector2d::Zero();  ///< rad, where the search began
  double time_ = 0.0;
  double still_ = 0.0;  ///< s without a count
  std::int64_t counts_ = 0;
  std::string complaint_;
};

}  // namespace fivebar_control
