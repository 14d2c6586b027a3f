// SPDX-License-Identifier: Apache-2.0
#include <pluginlib/class_list_macros.hpp>

#include "effort_robot.hpp"
#include "failing_robot.hpp"

namespace fivebar_control::test
{

std::shared_ptr<Injection> & latest_injection()
{
  static std::shared_ptr<Injection> latest;
  return latest;
}

/// A FailingSystem whose test, in the same process, looks at its motors.
class WatchedSystem : public FailingSystem
{
public:
  WatchedSystem() : FailingSystem(std::make_shared<Injection>())
  {
    latest_injection() = injection();
  }
};

}  // namespace fivebar_control::test

PLUGINLIB_EXPORT_CLASS(fivebar_control::test::EffortRobot, hardware_interface::SystemInterface)
PLUGINLIB_EXPORT_CLASS(fivebar_control::test::FailingSystem, hardware_interface::SystemInterface)
PLUGINLIB_EXPORT_CLASS(fivebar_control::test::WatchedSystem, hardware_interface::SystemInterface)
