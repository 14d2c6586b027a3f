// SPDX-License-Identifier: Apache-2.0
#include "planner_node.hpp"

int main(int argc, char ** argv)
{
  rclcpp::init(argc, argv);
  rclcpp::spin(std::make_shared<fivebar_control::PlannerNode>());
  rclcpp::shutdown();
  return 0;
}
