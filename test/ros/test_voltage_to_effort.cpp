// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "system_fixture.hpp"
#include "voltage_to_effort.hpp"

namespace fivebar_control::test
{

using Return = controller_interface::return_type;

class VoltageToEffortTest : public testing::Test
{
protected:
  static void SetUpTestSuite() { rclcpp::init(0, nullptr); }
  static void TearDownTestSuite() { rclcpp::shutdown(); }

  static hardware_interface::InterfaceDescription described(
    const std::string & joint, const std::string & name)
  {
    hardware_interface::InterfaceInfo info;
    info.name = name;
    info.data_type = "double";
    return {joint, info};
  }

  void start(const std::string & damping_in)
  {
    controller_interface::ControllerInterfaceParams init;
    init.controller_name = "motors";
    init.update_rate = 1000;
    init.controller_manager_update_rate = 1000;
    init.node_options = rclcpp::NodeOptions().parameter_overrides(
      {{"damping_in", damping_in}, {"robot", config_path("robot.yaml")}});
    ASSERT_EQ(controller_.init(init), Return::OK);
    ASSERT_EQ(controller_.configure().id(), lifecycle_msgs::msg::State::PRIMARY_STATE_INACTIVE);
    references_ = controller_.export_reference_interfaces();
    ASSERT_EQ(references_.size(), 2u);
    EXPECT_EQ(references_[0]->get_name(), "motors/joint_1/voltage");
    std::vector<hardware_interface::LoanedCommandInterface> commands;
    std::vector<hardware_interface::LoanedStateInterface> states;
    for (std::size_t i = 0; i < 2; ++i)
    {
      commands.emplace_back(efforts_[i], nullptr);
      states.emplace_back(speeds_[i], nullptr);
      ASSERT_TRUE(speeds_[i]->set_value(0.0));
    }
    controller_.assign_interfaces(std::move(commands), std::move(states));
    ASSERT_TRUE(controller_.set_chained_mode(true));
    ASSERT_EQ(
      controller_.get_node()->activate().id(), lifecycle_msgs::msg::State::PRIMARY_STATE_ACTIVE);
  }
  void TearDown() override { controller_.release_interfaces(); }

  Return update() { return controller_.update(rclcpp::Time(1), rclcpp::Duration(0, 1'000'000)); }
  double effort(std::size_t joint) const { return efforts_[joint]->get_optional().value(); }

  VoltageToEffort controller_;
  std::array<hardware_interface::CommandInterface::SharedPtr, 2> efforts_{
    std::make_shared<hardware_interface::CommandInterface>(described("joint_1", "effort")),
    std::make_shared<hardware_interface::CommandInterface>(described("joint_4", "effort"))};
  std::array<hardware_interface::StateInterface::SharedPtr, 2> speeds_{
    std::make_shared<hardware_interface::StateInterface>(described("joint_1", "velocity")),
    std::make_shared<hardware_interface::StateInterface>(described("joint_4", "velocity"))};
  std::vector<hardware_interface::CommandInterface::SharedPtr> references_;
};

// kg kt / Rm of config/robot.yaml, by hand.
constexpr double torque_gain = 70.0 * 5.3e-3 / 2.6;
// kg² (kt km / Rm + Bm)
constexpr double damping = 70.0 * 70.0 * (5.3e-3 * 7.68e-3 / 2.6 + 3.42e-6);

TEST_F(VoltageToEffortTest, LeavesTheDampingToTheSimulator)
{
  start("simulator");
  ASSERT_TRUE(references_[0]->set_value(2.0));
  ASSERT_TRUE(references_[1]->set_value(-3.0));
  ASSERT_TRUE(speeds_[0]->set_value(5.0));
  ASSERT_EQ(update(), Return::OK);
  EXPECT_DOUBLE_EQ(effort(0), 2.0 * torque_gain);
  EXPECT_DOUBLE_EQ(effort(1), -3.0 * torque_gain);
}

TEST_F(VoltageToEffortTest, AppliesTheDampingItselfWhenAsked)
{
  start("controller");
  ASSERT_TRUE(references_[0]->set_value(2.0));
  ASSERT_TRUE(references_[1]->set_value(0.0));
  ASSERT_TRUE(speeds_[0]->set_value(5.0));
  ASSERT_TRUE(speeds_[1]->set_value(-1.0));
  ASSERT_EQ(update(), Return::OK);
  EXPECT_NEAR(effort(0), 2.0 * torque_gain - 5.0 * damping, 1e-12);
  EXPECT_NEAR(effort(1), damping, 1e-12);
}

TEST_F(VoltageToEffortTest, GivesNoEffortBeforeTheFirstReferenceAndAfterDeactivation)
{
  start("simulator");
  ASSERT_EQ(update(), Return::OK);
  EXPECT_EQ(effort(0), 0.0);
  ASSERT_TRUE(references_[0]->set_value(2.0));
  ASSERT_EQ(update(), Return::OK);
  EXPECT_GT(effort(0), 0.0);
  controller_.get_node()->deactivate();
  EXPECT_EQ(effort(0), 0.0);
}

TEST_F(VoltageToEffortTest, ReportsErrorAndNoEffortWithoutASpeed)
{
  start("controller");
  ASSERT_TRUE(references_[0]->set_value(2.0));
  ASSERT_TRUE(references_[1]->set_value(2.0));
  ASSERT_TRUE(speeds_[0]->set_value(std::nan("")));
  EXPECT_EQ(update(), Return::ERROR);
  EXPECT_EQ(effort(0), 0.0);
  EXPECT_EQ(effort(1), 0.0);
}

}  // namespace fivebar_control::test
