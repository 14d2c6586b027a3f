// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fivebar_control/controller/cycle_record.hpp"
#include "fivebar_control/simulation/simulated_robot.hpp"
#include "fivebar_control/simulation/true_motion.hpp"

namespace fivebar_control
{

/// Watches the true motion of a simulated robot during a run, and passes the records on. Hardware
/// that does not know its true motion is not watched.
class TruthWatcher : public RecordSink
{
public:
  TruthWatcher(const RobotModel & robot, MotorHardware & hardware, RecordSink & next);

  void take(const CycleRecord & record) noexcept override;
  /// After a run that did not finish: what the robot does at zero volts until it has come to rest.
  void follow_to_rest() noexcept;

  /// None of real hardware.
  const TruePeaks * peaks() const { return robot_ != nullptr ? &motion_.peaks() : nullptr; }

private:
  SimulatedRobot * robot_;
  RecordSink & next_;
  TrueMotion motion_;
  Eigen::Vector2d reference_ = Eigen::Vector2d::Zero();  ///< rad, the last that there was
  bool has_reference_ = false;
};

}  // namespace fivebar_control
