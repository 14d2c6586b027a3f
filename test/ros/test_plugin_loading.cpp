// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <controller_interface/chainable_controller_interface.hpp>
#include <controller_interface/controller_interface.hpp>
#include <hardware_interface/system_interface.hpp>
#include <pluginlib/class_loader.hpp>

namespace fivebar_control::test
{

/// Through the ament index, from the installed libraries, as the controller manager does it.
template <class Base>
void expect_loads(const std::string & package, const std::string & base, const std::string & plugin)
{
  pluginlib::ClassLoader<Base> loader(package, base);
  EXPECT_TRUE(loader.isClassAvailable(plugin)) << plugin;
  EXPECT_NO_THROW(EXPECT_NE(loader.createSharedInstance(plugin), nullptr)) << plugin;
}

TEST(PluginLoading, FindsTheFeedforwardController)
{
  expect_loads<controller_interface::ControllerInterface>(
    "controller_interface", "controller_interface::ControllerInterface",
    "fivebar_control/FeedforwardController");
  // rqt_joint_trajectory_controller lists controllers whose type contains
  // JointTrajectoryController.
  expect_loads<controller_interface::ControllerInterface>(
    "controller_interface", "controller_interface::ControllerInterface",
    "fivebar_control/FeedforwardJointTrajectoryController");
}

TEST(PluginLoading, FindsVoltageToEffort)
{
  expect_loads<controller_interface::ChainableControllerInterface>(
    "controller_interface", "controller_interface::ChainableControllerInterface",
    "fivebar_control/VoltageToEffort");
}

TEST(PluginLoading, FindsTheFiveBarSystem)
{
  expect_loads<hardware_interface::SystemInterface>(
    "hardware_interface", "hardware_interface::SystemInterface", "fivebar_control/FiveBarSystem");
}

}  // namespace fivebar_control::test
