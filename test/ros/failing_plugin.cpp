#include <pluginlib/class_list_macros.hpp>

#include "failing_robot.hpp"

PLUGINLIB_EXPORT_CLASS(fivebar_control::test::FailingSystem, hardware_interface::SystemInterface)
