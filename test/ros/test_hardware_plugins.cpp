// SPDX-License-Identifier: Apache-2.0
#include <pluginlib/class_list_macros.hpp>

#include "effort_robot.hpp"
#include "failing_robot.hpp"

PLUGINLIB_EXPORT_CLASS(fivebar_control::test::EffortRobot, hardware_interface::SystemInterface)
PLUGINLIB_EXPORT_CLASS(fivebar_control::test::FailingSystem, hardware_interface::SystemInterface)
