// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/daemon/truth.hpp"

namespace fivebar_control
{
namespace
{

constexpr int longest_rest = 500;  // periods
constexpr double at_rest = 1e-3;   // rad/s

}  // namespace

TruthWatcher::TruthWatcher(const RobotModel & robot, MotorHardware & hardware, RecordSink & next)
: robot_(dynamic_cast<SimulatedRobot *>(&hardware)), next_(next), motion_(robot)
{
}

void TruthWatcher::take(const CycleRecord & record) noexcept
{
  if (robot_ != nullptr)
  {
    const bool driven = has_reference(record.state);
    reference_ = driven ? Eigen::Vector2d(record.reference - record.lead) : reference_;
    has_reference_ = has_reference_ || driven;
    has_reference_ ? motion_.see(robot_->plant(), reference_) : motion_.see(robot_->plant());
  }
  next_.take(record);
}

void TruthWatcher::follow_to_rest() noexcept
{
  MotorSample sample;
  for (int i = 0; robot_ != nullptr && has_reference_ && i < longest_rest; ++i)
  {
    if (robot_->read(sample) != HardwareError::none)
    {
      return;
    }
    motion_.see(robot_->plant(), reference_);
    if (robot_->state().tail<2>().cwiseAbs().maxCoeff() < at_rest)
    {
      return;
    }
  }
}

}  // namespace fivebar_control
