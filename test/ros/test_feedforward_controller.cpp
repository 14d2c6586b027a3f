// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <unistd.h>

#include <diagnostic_msgs/msg/diagnostic_array.hpp>
#include <filesystem>

#include "cell_fixture.hpp"
#include "fivebar_control/daemon/experiment.hpp"
#include "fivebar_control/runs/run_record.hpp"

namespace fivebar_control::test
{

using lifecycle_msgs::msg::State;
using rclcpp_action::ResultCode;
using testing::HasSubstr;
using ExecutePlan = Cell::ExecutePlan;
using FeedforwardControllerTest = CellTest;

/// What `fivebar run --fast` does with the same plan and plant.
ExperimentResult fast_run(RecordSink * sink = nullptr)
{
  const RobotModel robot = load_robot(config_path("robot.yaml"));
  const PlayablePlan plan(plan_b().samples);
  const Experiment experiment{
    robot, plan, load_controller_settings(config_path("controller.yaml"))};
  return run_experiment(
    experiment, load_plant(config_path("plants/mismatched.yaml")),
    ControlMode::feedforward_and_feedback, sink);
}

TEST_F(FeedforwardControllerTest, PlaysCurveBExactlyAsTheDaemonDoes)
{
  Cell cell;
  cell.start();
  const auto loaded = cell.load("", plan_text(plan_b()));
  ASSERT_TRUE(loaded.success) << loaded.message;
  EXPECT_DOUBLE_EQ(loaded.duration, 5.0);
  const auto goal = cell.send();
  const auto result = cell.result(goal);
  EXPECT_EQ(result.code, ResultCode::SUCCEEDED) << result.result->message;
  EXPECT_EQ(result.result->end, ExecutePlan::Result::FINISHED);
  const ExperimentResult fast = fast_run();
  ASSERT_GT(fast.score.ise, 0.0);
  // The sample time travels as seconds in a double: equal but for the last digits.
  EXPECT_NEAR(result.result->ise, fast.score.ise, 1e-9 * fast.score.ise);
  EXPECT_EQ(result.result->cycles, static_cast<std::uint64_t>(fast.score.cycles));
  EXPECT_EQ(result.result->largest_volts, fast.score.largest_volts);
  EXPECT_TRUE(cell.zero_volts());
  ASSERT_TRUE(cell.wait([&]() { return !cell.feedback().empty(); }));
  EXPECT_DOUBLE_EQ(cell.feedback().back().duration, 5.0);
}

TEST_F(FeedforwardControllerTest, LeavesTheRunLogThatTheDaemonWouldWrite)
{
  const std::string folder = testing::TempDir() + "fivebar_ros_log_" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  Cell cell({rclcpp::Parameter("log_directory", folder)});
  cell.start();
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  const auto result = cell.result(cell.send());
  ASSERT_EQ(result.code, ResultCode::SUCCEEDED) << result.result->message;
  EXPECT_THAT(result.result->log, testing::StartsWith(folder + "/"));
  const RunRecord run = load_run_record(result.result->log);
  require_run_of_plan(run, plan_b(), "b.csv");
  EXPECT_EQ(run.ended, "finished");
  EXPECT_EQ(run.lost_rows, 0);
  EXPECT_EQ(run.mode, "feedforward+pd");
  RecordKeeper keeper(load_robot(config_path("robot.yaml")));
  fast_run(&keeper);
  const RunRecord fast = keeper.finish({}, RunEnd::finished, Reason::none);
  ASSERT_EQ(run.size(), fast.size());
  for (std::size_t i = 0; i < run.size(); ++i)
  {
    ASSERT_EQ(run.state[i], fast.state[i]);
    ASSERT_NEAR(run.applied[0][i], fast.applied[0][i], 1e-6);
    ASSERT_NEAR(run.angle[1][i], fast.angle[1][i], 1e-9);
  }
  // A second goal, which names its file, and one whose file cannot be.
  const std::string own = folder + "/own.csv";
  const auto second = cell.result(cell.send(true, ExecutePlan::Goal::FEEDBACK_ONLY, own));
  EXPECT_EQ(second.result->log, own);
  EXPECT_EQ(load_run_record(own).mode, "pd");
  const auto third = cell.result(
    cell.send(true, ExecutePlan::Goal::FEEDFORWARD_AND_FEEDBACK, folder + "/no/such/log.csv"));
  EXPECT_EQ(third.result->end, ExecutePlan::Result::REFUSED);
  EXPECT_THAT(third.result->message, HasSubstr("the log cannot be written"));
  std::filesystem::remove_all(folder);
}

TEST_F(FeedforwardControllerTest, CommandsThroughAnotherControllerWherePrefixed)
{
  Cell cell({rclcpp::Parameter("command_prefix", "voltage_to_effort/")});
  EXPECT_THAT(
    cell.controller().command_interface_configuration().names,
    testing::ElementsAre("voltage_to_effort/joint_1/voltage", "voltage_to_effort/joint_4/voltage"));
}

TEST_F(FeedforwardControllerTest, AddsTheHomeAnglesWhereTheHardwareCountsFromHome)
{
  // The simulated hardware counts from zero, so the controller sees the robot far from the start.
  Cell cell({rclcpp::Parameter("zero_is_home", true)});
  cell.start();
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  const auto refused = cell.result(cell.send(false));
  EXPECT_EQ(refused.result->end, ExecutePlan::Result::REFUSED);
  EXPECT_THAT(refused.result->message, HasSubstr("from the plan's start"));
}

TEST_F(FeedforwardControllerTest, CancellingStopsSmoothlyAndEndsInZeroVolts)
{
  Cell cell;
  cell.start();
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  const auto goal = cell.send();
  ASSERT_TRUE(cell.wait([&]() { return cell.hardware().injection().driven_cycles > 1000; }));
  cell.cancel(goal);
  const auto result = cell.result(goal);
  EXPECT_EQ(result.code, ResultCode::CANCELED);
  EXPECT_EQ(result.result->end, ExecutePlan::Result::STOPPED);
  EXPECT_THAT(result.result->message, HasSubstr("stopped on request"));
  EXPECT_TRUE(cell.zero_volts());
  EXPECT_LT(cell.hardware().injection().driven_cycles, 5000) << "it played on to the end";
}

TEST_F(FeedforwardControllerTest, FarFromThePlanItRefusesUnlessAskedToAlign)
{
  Cell cell;
  cell.start();
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  const auto first = cell.send();
  ASSERT_TRUE(cell.wait([&]() { return cell.hardware().injection().driven_cycles > 1000; }));
  cell.cancel(first);
  cell.result(first);
  const int driven = cell.hardware().injection().driven_cycles;

  const auto refused = cell.result(cell.send(false));
  EXPECT_EQ(refused.code, ResultCode::ABORTED);
  EXPECT_EQ(refused.result->end, ExecutePlan::Result::REFUSED);
  EXPECT_THAT(refused.result->message, HasSubstr("from the plan's start"));
  EXPECT_EQ(cell.hardware().injection().driven_cycles, driven) << "the motors were driven";
  EXPECT_TRUE(cell.zero_volts());

  const auto aligned = cell.result(cell.send(true));
  EXPECT_EQ(aligned.code, ResultCode::SUCCEEDED) << aligned.result->message;
}

TEST_F(FeedforwardControllerTest, RefusesAPlanForAnotherRobotAndKeepsTheOldOne)
{
  Cell cell;
  cell.start();
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  Plan other = plan_b();
  other.robot_fingerprint = heavier_robot().fingerprint();
  const auto refused = cell.load("", plan_text(other));
  EXPECT_FALSE(refused.success);
  EXPECT_THAT(refused.message, HasSubstr(other.robot_fingerprint));
  EXPECT_TRUE(cell.zero_volts());
  const auto result = cell.result(cell.send());
  EXPECT_EQ(result.code, ResultCode::SUCCEEDED) << result.result->message;
}

TEST_F(FeedforwardControllerTest, RefusesBrokenPlansWithPlaceAndReason)
{
  Cell cell;
  cell.start();
  EXPECT_THAT(cell.load("/nowhere/plan.csv").message, HasSubstr("/nowhere/plan.csv"));
  EXPECT_THAT(cell.load("", "no plan").message, HasSubstr("not a plan: expected a header"));
  EXPECT_THAT(cell.load("").message, HasSubstr("either a path or a content"));
  EXPECT_THAT(cell.load("a", "b").message, HasSubstr("either a path or a content"));
}

TEST_F(FeedforwardControllerTest, RefusesToRunWithoutAPlanOrInAnUnknownMode)
{
  Cell cell;
  cell.start();
  const auto empty = cell.result(cell.send());
  EXPECT_EQ(empty.code, ResultCode::ABORTED);
  EXPECT_THAT(empty.result->message, HasSubstr("load_plan"));
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  const auto unknown = cell.result(cell.send(false, 7));
  EXPECT_EQ(unknown.code, ResultCode::ABORTED);
  EXPECT_THAT(unknown.result->message, HasSubstr("mode 7"));
}

TEST_F(FeedforwardControllerTest, RefusesASecondRunWhileOneIsRunning)
{
  Cell cell;
  cell.start();
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  const auto first = cell.send();
  const auto second = cell.result(cell.send());
  EXPECT_EQ(second.code, ResultCode::ABORTED);
  EXPECT_THAT(second.result->message, HasSubstr("another plan is running"));
  EXPECT_EQ(cell.result(first).code, ResultCode::SUCCEEDED);
}

/// Fault injected into the hardware -> what the action's message must name.
void expect_fault(const char * fault, const char * cause)
{
  Cell cell;
  cell.start();
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  cell.hardware().injection().cycles_until_fault = 500;
  cell.hardware().injection().fault = fault;
  const auto result = cell.result(cell.send());
  EXPECT_EQ(result.code, ResultCode::ABORTED);
  EXPECT_EQ(result.result->end, ExecutePlan::Result::FAULT);
  EXPECT_THAT(result.result->message, HasSubstr(cause));
  EXPECT_EQ(cell.last_return(), Cell::Return::ERROR);
  EXPECT_TRUE(cell.zero_volts());
  EXPECT_LE(cell.hardware().injection().driven_cycles, 505) << "it drove on after the fault";
}

TEST_F(FeedforwardControllerTest, AnEmergencyStopOfTheBoardEndsInZeroVoltsAndError)
{
  expect_fault("device", "the motor board reports a fault");
}

TEST_F(FeedforwardControllerTest, LostReadsEndInZeroVoltsAndError)
{
  expect_fault("read", "reads in a row failed");
}

TEST_F(FeedforwardControllerTest, DiagnosticsNameAFaultWhileIdleUntilItIsReset)
{
  Cell cell;
  cell.start();
  std::string said;
  const auto listener = std::make_shared<rclcpp::Node>("listener");
  const auto subscription = listener->create_subscription<diagnostic_msgs::msg::DiagnosticArray>(
    "/diagnostics", 10, [&](const diagnostic_msgs::msg::DiagnosticArray & message) {
      said = message.status.front().message;
    });
  cell.executor().add_node(listener);
  cell.hardware().injection().fault = "device";
  EXPECT_TRUE(
    cell.wait([&]() { return said.find("the motor board reports a fault") != std::string::npos; }))
    << said;
  EXPECT_EQ(cell.last_return(), Cell::Return::ERROR);
  EXPECT_TRUE(cell.zero_volts());
  cell.hardware().injection().fault = "";
  cell.start_again();
  EXPECT_TRUE(cell.wait([&]() { return said == "idle"; })) << said;
}

TEST_F(FeedforwardControllerTest, ActivatingAnewResetsAFault)
{
  Cell cell;
  cell.start();
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  cell.hardware().injection().fault = "device";
  cell.hardware().injection().cycles_until_fault = 100;
  EXPECT_EQ(cell.result(cell.send()).code, ResultCode::ABORTED);
  const auto inactive = cell.result(cell.send());
  EXPECT_THAT(inactive.result->message, HasSubstr("not active"));
  cell.hardware().injection().fault = "";
  cell.start_again();
  const auto result = cell.result(cell.send(true));
  EXPECT_EQ(result.code, ResultCode::SUCCEEDED) << result.result->message;
}

TEST_F(FeedforwardControllerTest, DeactivationWhileRunningMeansZeroVoltsAndAnAbortedGoal)
{
  Cell cell;
  cell.start();
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  const auto goal = cell.send();
  ASSERT_TRUE(cell.wait([&]() { return cell.hardware().injection().driven_cycles > 100; }));
  cell.deactivate();
  EXPECT_TRUE(cell.zero_volts());
  const auto result = cell.result(goal);
  EXPECT_EQ(result.code, ResultCode::ABORTED);
  EXPECT_EQ(result.result->end, ExecutePlan::Result::DEACTIVATED);
  EXPECT_THAT(result.result->message, HasSubstr("deactivated"));
}

TEST_F(FeedforwardControllerTest, LoadsThePlanOfItsParameter)
{
  const std::string path = testing::TempDir() + "/plan_of_parameter.csv";
  save_plan(plan_b(), path);
  Cell cell({rclcpp::Parameter("plan", path)});
  cell.start();
  EXPECT_EQ(cell.result(cell.send()).code, ResultCode::SUCCEEDED);
}

TEST_F(FeedforwardControllerTest, BadParametersAreRefused)
{
  const auto refused_at_init = [](const rclcpp::Parameter & bad) {
    return Cell({bad}).init_result() == Cell::Return::ERROR;
  };
  EXPECT_TRUE(refused_at_init({"feedback.kp", -1.0}));
  EXPECT_TRUE(refused_at_init({"joints", std::vector<std::string>{"joint_1"}}));
  EXPECT_TRUE(refused_at_init({"joints", std::vector<std::string>{"joint_1", "joint_1"}}));
  EXPECT_TRUE(refused_at_init({"velocity.method", "guess"}));
  EXPECT_TRUE(refused_at_init({"guard.failures_in_a_row", 0}));
  const auto refused_at_configure = [](const rclcpp::Parameter & bad) {
    // Not an error: with other parameters it can be tried again.
    return Cell({bad}).configure() == State::PRIMARY_STATE_UNCONFIGURED;
  };
  EXPECT_TRUE(refused_at_configure({"robot", "/nowhere/robot.yaml"}));
  EXPECT_TRUE(refused_at_configure({"plan", "/nowhere/plan.csv"}));
  EXPECT_FALSE(refused_at_configure({"feedback.kp", 20.0}));
}

TEST_F(FeedforwardControllerTest, ParameterDefaultsAreThoseOfTheControllerFile)
{
  Cell cell;
  const auto node = cell.controller().get_node();
  const ControllerSettings file = load_controller_settings(config_path("controller.yaml"));
  const auto number = [&](const char * name) { return node->get_parameter(name).as_double(); };
  EXPECT_EQ(number("feedback.kp"), file.gains.kp);
  EXPECT_EQ(number("feedback.kd"), file.gains.kd);
  EXPECT_EQ(number("feedback.ki"), file.gains.ki);
  EXPECT_EQ(number("feedback.integral_limit"), file.gains.integral_limit);
  EXPECT_EQ(number("velocity.cutoff"), file.velocity.cutoff);
  EXPECT_EQ(number("start.tolerance"), file.start.tolerance);
  EXPECT_EQ(number("start.alignment_speed"), file.start.alignment_speed);
  EXPECT_EQ(number("start.settle_time"), file.start.settle_time);
  EXPECT_EQ(number("start.alignment_timeout"), file.start.alignment_timeout);
  EXPECT_EQ(number("end.stop_time"), file.end.stop_time);
  EXPECT_EQ(number("end.settle_time"), file.end.settle_time);
  EXPECT_EQ(number("end.hold_time"), file.end.hold_time);
  EXPECT_EQ(number("end.relax_time"), file.end.relax_time);
  visit_guard(file.guard, [&](const char * key, const auto & value) {
    const rclcpp::Parameter parameter = node->get_parameter(std::string("guard.") + key);
    const double set = parameter.get_type() == rclcpp::ParameterType::PARAMETER_INTEGER
                         ? static_cast<double>(parameter.as_int())
                         : parameter.as_double();
    EXPECT_EQ(set, static_cast<double>(value)) << key;
  });
  EXPECT_TRUE(node->get_parameter("guard.switched_off").as_string_array().empty());
}

TEST_F(FeedforwardControllerTest, CleanupAndConfigureAgainWork)
{
  Cell cell;
  ASSERT_EQ(cell.configure(), State::PRIMARY_STATE_INACTIVE);
  ASSERT_EQ(cell.controller().get_node()->cleanup().id(), State::PRIMARY_STATE_UNCONFIGURED);
  cell.start();
  ASSERT_TRUE(cell.load("", plan_text(plan_b())).success);
  EXPECT_EQ(cell.result(cell.send()).code, ResultCode::SUCCEEDED);
}

}  // namespace fivebar_control::test
