// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "cell_fixture.hpp"
#include "fivebar_control/daemon/experiment.hpp"

// What the outside may ask of a configured controller, at the right time and at the wrong one.

namespace fivebar_control::test
{

using lifecycle_msgs::msg::State;
using rclcpp_action::ResultCode;
using testing::HasSubstr;
using testing::IsEmpty;
using ExecutePlan = Cell::ExecutePlan;

class ControllerRequests : public CellTest
{
protected:
  /// Empty: taken; otherwise why not.
  static std::string set(
    Cell & cell, const std::string & name, const rclcpp::ParameterValue & value)
  {
    const auto result = cell.controller().get_node()->set_parameter(rclcpp::Parameter(name, value));
    return result.successful ? "" : result.reason;
  }
  static void drive(Cell & cell, int cycles)
  {
    ASSERT_TRUE(cell.wait([&]() { return cell.hardware().injection().driven_cycles > cycles; }));
  }
  static void expect_disarmed(Cell & cell, const Cell::GoalHandle::SharedPtr & goal)
  {
    const auto result = cell.result(goal);
    EXPECT_EQ(result.code, ResultCode::ABORTED);
    EXPECT_EQ(result.result->end, ExecutePlan::Result::FAULT);
    EXPECT_THAT(result.result->message, HasSubstr("[device_disarmed]"));
    EXPECT_TRUE(cell.zero_volts());
    EXPECT_EQ(cell.last_return(), Cell::Return::ERROR);
  }
};

TEST_F(ControllerRequests, AHardwareThatIsSwitchedOffEndsTheRun)
{
  Cell cell;
  cell.start();
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  const auto goal = cell.send();
  drive(cell, 500);
  cell.hardware()->on_deactivate(any_state());
  expect_disarmed(cell, goal);
}

TEST_F(ControllerRequests, AHardwareThatIsSwitchedOffAndOnAgainEndsTheRun)
{
  Cell cell;
  cell.start();
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  const auto goal = cell.send();
  drive(cell, 500);
  cell.hardware()->on_deactivate(any_state());
  cell.hardware()->on_activate(any_state());
  expect_disarmed(cell, goal);
  // Activating the controller anew is the reset; nothing moves before.
  EXPECT_EQ(cell.result(cell.send(true)).result->end, ExecutePlan::Result::REFUSED);
  cell.start_again();
  EXPECT_EQ(cell.result(cell.send(true)).code, ResultCode::SUCCEEDED);
}

TEST_F(ControllerRequests, HardwareThatDoesNotTellOfArmingCanBeUsed)
{
  Cell cell({rclcpp::Parameter("motor_board_arms", false)});
  cell.start();
  EXPECT_EQ(cell.controller().state_interface_configuration().names.size(), 7u);
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  EXPECT_EQ(cell.result(cell.send()).code, ResultCode::SUCCEEDED);
}

TEST_F(ControllerRequests, APipeIsNoPlanAndNoLog)
{
  const std::string pipe = testing::TempDir() + "fivebar_pipe_" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  Cell cell;
  cell.start();
  const auto refused = cell.load(pipe);
  EXPECT_FALSE(refused.success);
  EXPECT_THAT(refused.message, HasSubstr("is a pipe or a device"));
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  const auto result =
    cell.result(cell.send(false, ExecutePlan::Goal::FEEDFORWARD_AND_FEEDBACK, pipe));
  EXPECT_EQ(result.result->end, ExecutePlan::Result::REFUSED);
  EXPECT_THAT(result.result->message, HasSubstr("is a pipe or a device"));
  std::filesystem::remove(pipe);
}

TEST_F(ControllerRequests, ParametersAreReadWhileConfiguring)
{
  Cell cell;
  EXPECT_THAT(set(cell, "feedback.kp", rclcpp::ParameterValue(30.0)), IsEmpty());
  EXPECT_THAT(set(cell, "velocity.method", rclcpp::ParameterValue("tracking_observer")), IsEmpty());
  EXPECT_THAT(set(cell, "command_prefix", rclcpp::ParameterValue("other/")), IsEmpty());
  ASSERT_EQ(cell.configure(), State::PRIMARY_STATE_INACTIVE);
  EXPECT_EQ(cell.controller().command_interface_configuration().names[0], "other/joint_1/voltage");
  EXPECT_THAT(
    set(cell, "command_prefix", rclcpp::ParameterValue("")), HasSubstr("read while configuring"));
  EXPECT_THAT(set(cell, "command_prefix", rclcpp::ParameterValue("other/")), IsEmpty());
  EXPECT_THAT(
    set(cell, "velocity.method", rclcpp::ParameterValue("kalman")),
    HasSubstr("read while configuring"));
  EXPECT_THAT(set(cell, "feedback.kp", rclcpp::ParameterValue(200.0)), IsEmpty());
}

TEST_F(ControllerRequests, GainsOfAMovingRobotChangeWithinLimitsAndTheGuardDoesNot)
{
  Cell cell;
  cell.start();
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  const auto goal = cell.send();
  drive(cell, 500);
  EXPECT_THAT(set(cell, "feedback.kp", rclcpp::ParameterValue(60.0)), HasSubstr("a factor of 2"));
  EXPECT_THAT(
    set(cell, "guard.following_band", rclcpp::ParameterValue(0.5)),
    HasSubstr("while the robot moves"));
  EXPECT_THAT(set(cell, "feedback.kp", rclcpp::ParameterValue(40.0)), IsEmpty());
  EXPECT_THAT(set(cell, "feedback.kp", rclcpp::ParameterValue(70.0)), HasSubstr("still changing"));
  const auto stiff = cell.result(goal);
  ASSERT_EQ(stiff.code, ResultCode::SUCCEEDED) << stiff.result->message;
  EXPECT_THAT(set(cell, "feedback.kp", rclcpp::ParameterValue(22.7)), IsEmpty());
  const auto soft = cell.result(cell.send(true));
  ASSERT_EQ(soft.code, ResultCode::SUCCEEDED) << soft.result->message;
  EXPECT_LT(stiff.result->ise, 0.8 * soft.result->ise) << "the gain did not reach the loop";
}

TEST_F(ControllerRequests, FeedbackAlongThePlanIsThatOfTheDaemon)
{
  Cell cell(
    {rclcpp::Parameter("feedback.method", "tvlqr"),
     rclcpp::Parameter("velocity.method", "kalman")});
  cell.start();
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  const auto result = cell.result(cell.send());
  ASSERT_EQ(result.code, ResultCode::SUCCEEDED) << result.result->message;
  const RobotModel robot = load_robot(config_path("robot.yaml"));
  const PlayablePlan plan(plan_b().samples);
  ControllerSettings settings = load_controller_settings(config_path("controller.yaml"));
  settings.gains.method = FeedbackMethod::tvlqr;
  settings.velocity.method = VelocityMethod::kalman;
  const ExperimentResult fast = run_experiment(
    Experiment{robot, plan, settings}, load_plant(config_path("plants/mismatched.yaml")),
    ControlMode::feedforward_and_feedback, nullptr);
  ASSERT_GT(fast.score.ise, 0.0);
  EXPECT_NEAR(result.result->ise, fast.score.ise, 1e-6 * fast.score.ise);
}

TEST_F(ControllerRequests, LookingAheadIsThatOfTheDaemonWhereALimitIsInTheWay)
{
  // At its largest, the feedforward takes half as much again as this limit allows.
  double largest = 0.0;
  for (std::size_t i = 0; i < plan_b().samples.size(); ++i)
  {
    largest = std::max(largest, plan_b().samples.volts(i).cwiseAbs().maxCoeff());
  }
  const double limit = largest / 1.5;
  Cell cell(
    {rclcpp::Parameter("voltage_limit", limit), rclcpp::Parameter("feedback.method", "mpc"),
     rclcpp::Parameter("velocity.method", "kalman"), rclcpp::Parameter("along_plan.horizon", 40),
     rclcpp::Parameter("along_plan.horizon_sweeps", 12),
     // On a robot whose time is simulated nobody watches the clock.
     rclcpp::Parameter("along_plan.horizon_time", 1e-6)});
  cell.start();
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  EXPECT_THAT(
    set(cell, "along_plan.horizon", rclcpp::ParameterValue(10)), HasSubstr("while configuring"));
  const auto result = cell.result(cell.send());
  ASSERT_EQ(result.code, ResultCode::SUCCEEDED) << result.result->message;
  EXPECT_NEAR(result.result->largest_volts, limit, 1e-12);

  RobotParameters parameters = load_robot(config_path("robot.yaml")).parameters();
  parameters.limits.voltage = limit;
  const RobotModel robot(parameters);
  const PlayablePlan plan(plan_b().samples);
  ControllerSettings settings = load_controller_settings(config_path("controller.yaml"));
  settings.velocity.method = VelocityMethod::kalman;
  settings.loop.horizon = 40;
  settings.loop.horizon_sweeps = 12;
  const auto daemon = [&](FeedbackMethod method) {
    settings.gains.method = method;
    return run_experiment(
             Experiment{robot, plan, settings}, load_plant(config_path("plants/mismatched.yaml")),
             ControlMode::feedforward_and_feedback, nullptr)
      .score.ise;
  };
  const double looking_ahead = daemon(FeedbackMethod::mpc);
  ASSERT_GT(looking_ahead, 0.0);
  EXPECT_NEAR(result.result->ise, looking_ahead, 1e-6 * looking_ahead);
  EXPECT_GT(std::abs(daemon(FeedbackMethod::tvlqr) - looking_ahead), 1e-3 * looking_ahead)
    << "no limit was in the way: this test shows nothing";
}

TEST_F(ControllerRequests, AVoltageLimitAboveTheRobotsIsRefused)
{
  Cell cell({rclcpp::Parameter("voltage_limit", 12.0)});
  EXPECT_EQ(cell.configure(), State::PRIMARY_STATE_UNCONFIGURED);
  EXPECT_THAT(set(cell, "voltage_limit", rclcpp::ParameterValue(2.0)), IsEmpty());
  EXPECT_EQ(cell.configure(), State::PRIMARY_STATE_INACTIVE);
}

}  // namespace fivebar_control::test
