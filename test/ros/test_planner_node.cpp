// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "fivebar_control/daemon/play.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "planner_node.hpp"

namespace fivebar_control::test
{

using PlanCurve = fivebar_control::action::PlanCurve;
using Learn = fivebar_control::action::Learn;
using Identify = fivebar_control::action::Identify;
using rclcpp_action::ResultCode;
using testing::HasSubstr;

class PlannerNodeTest : public testing::Test
{
protected:
  static void SetUpTestSuite() { rclcpp::init(0, nullptr); }
  static void TearDownTestSuite() { rclcpp::shutdown(); }

  static std::string config(const std::string & relative)
  {
    return std::string(FIVEBAR_SOURCE_DIR) + "/config/" + relative;
  }

  PlannerNodeTest()
  {
    planner_ = std::make_shared<PlannerNode>(
      rclcpp::NodeOptions().parameter_overrides({{"robot", config("robot.yaml")}}));
    client_node_ = std::make_shared<rclcpp::Node>("client");
    executor_.add_node(planner_);
    executor_.add_node(client_node_);
  }

  template <class Action>
  typename rclcpp_action::ClientGoalHandle<Action>::WrappedResult ask(
    const std::string & name, const typename Action::Goal & goal,
    std::vector<typename Action::Feedback> & progress)
  {
    using namespace std::chrono_literals;
    const auto client = rclcpp_action::create_client<Action>(client_node_, name);
    while (!client->action_server_is_ready())
    {
      executor_.spin_once(10ms);
    }
    typename rclcpp_action::Client<Action>::SendGoalOptions options;
    options.feedback_callback = [&progress](auto, const auto feedback) {
      progress.push_back(*feedback);
    };
    auto sent = client->async_send_goal(goal, options);
    EXPECT_EQ(executor_.spin_until_future_complete(sent, 60s), rclcpp::FutureReturnCode::SUCCESS);
    auto result = client->async_get_result(sent.get());
    EXPECT_EQ(
      executor_.spin_until_future_complete(result, 120s), rclcpp::FutureReturnCode::SUCCESS);
    return result.get();
  }
  rclcpp_action::ClientGoalHandle<PlanCurve>::WrappedResult plan(const PlanCurve::Goal & goal)
  {
    return ask<PlanCurve>("plan_curve", goal, progress_);
  }

  std::shared_ptr<PlannerNode> planner_;
  rclcpp::Node::SharedPtr client_node_;
  rclcpp::executors::SingleThreadedExecutor executor_;
  std::vector<PlanCurve::Feedback> progress_;
};

TEST_F(PlannerNodeTest, PlansACurveGivenAsTextAndShowsProgress)
{
  PlanCurve::Goal goal;
  goal.content = read_text_file(config("curves/b.yaml"), 100'000);
  const auto result = plan(goal);
  ASSERT_EQ(result.code, ResultCode::SUCCEEDED) << result.result->message;
  const Plan received = parse_plan(result.result->plan, "received");
  EXPECT_EQ(received.curve_name, "curve B");
  EXPECT_EQ(received.samples.size(), 1001u);
  EXPECT_GT(result.result->iterations, 0u);
  ASSERT_FALSE(progress_.empty());
  EXPECT_GT(progress_.back().cost, 0.0);
}

TEST_F(PlannerNodeTest, WritesThePlanWhereAskedAndTheTextIsTheFile)
{
  const std::string path = testing::TempDir() + "/planned_by_node.csv";
  PlanCurve::Goal goal;
  goal.path = config("curves/b.yaml");
  goal.output_path = path;
  const auto result = plan(goal);
  ASSERT_EQ(result.code, ResultCode::SUCCEEDED) << result.result->message;
  EXPECT_EQ(read_text_file(path, 10'000'000), result.result->plan);
}

TEST_F(PlannerNodeTest, SaysWhatIsWrongWithACurve)
{
  PlanCurve::Goal goal;
  goal.path = "/nowhere/curve.yaml";
  const auto missing = plan(goal);
  EXPECT_EQ(missing.code, ResultCode::ABORTED);
  EXPECT_THAT(missing.result->message, HasSubstr("/nowhere/curve.yaml"));
  goal.content = "schema: 1";
  EXPECT_THAT(plan(goal).result->message, HasSubstr("either a path or a content"));
  goal.path.clear();
  goal.content =
    "schema: 1\nname: far\ncurve: {type: lissajous, center: [3.0, 3.0], "
    "amplitude: [0.01, 0.01], angular_frequency: [1.0, 1.0], duration: 1.0}\n"
    "time_step: 0.005\ncost: {alpha: 0.05, beta: 1.0}\n";
  const auto far = plan(goal);
  EXPECT_EQ(far.code, ResultCode::ABORTED);
  EXPECT_THAT(far.result->message, HasSubstr("workspace"));
}

/// A plan, and the log of a run of it on a robot that is not the model.
class LearningTest : public PlannerNodeTest
{
protected:
  LearningTest()
  {
    const RobotModel robot = load_robot(config("robot.yaml"));
    const Plan plan = make_plan(robot, load_plan_request(config("curves/b.yaml"))).plan;
    std::filesystem::create_directories(folder_);
    save_plan(plan, file("b.csv"));
    PlaySettings settings;
    settings.controller = load_controller_settings(config("controller.yaml"));
    settings.plant = load_plant(config("plants/mismatched.yaml"));
    settings.log = file("b.log.csv");
    play(robot, plan, file("b.csv"), settings);
  }
  ~LearningTest() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string & name) const { return folder_ + "/" + name; }

  std::string folder_ = testing::TempDir() + "fivebar_learning_" + std::to_string(getpid());
};

TEST_F(LearningTest, LearnsFromARunWhatTheCommandLearns)
{
  Learn::Goal goal;
  goal.plan_path = file("b.csv");
  goal.log_paths = {file("b.log.csv")};
  goal.output_path = file("b2.csv");
  std::vector<Learn::Feedback> progress;
  const auto result = ask<Learn>("/fivebar_planner/learn", goal, progress);
  ASSERT_EQ(result.code, ResultCode::SUCCEEDED) << result.result->message;
  EXPECT_EQ(result.result->updates, 1u);
  EXPECT_LT(result.result->predicted_ise, 0.2 * result.result->measured_ise);
  EXPECT_EQ(read_text_file(file("b2.csv"), 10'000'000), result.result->plan);
  EXPECT_EQ(load_plan(file("b2.csv")).lessons.size(), 1u);
  ASSERT_FALSE(progress.empty());
  EXPECT_EQ(progress.front().steps, 3u);
  goal.output_path = file("b.csv");
  EXPECT_THAT(
    ask<Learn>("/fivebar_planner/learn", goal, progress).result->message,
    HasSubstr("is one of the files to learn from"));
  goal.log_paths.clear();
  EXPECT_THAT(
    ask<Learn>("/fivebar_planner/learn", goal, progress).result->message,
    HasSubstr("at least one run log"));
}

TEST_F(LearningTest, IdentifiesTheRobotFromARun)
{
  Identify::Goal goal;
  goal.log_paths = {file("b.log.csv")};
  goal.output_path = file("robot.yaml");
  std::vector<Identify::Feedback> progress;
  const auto result = ask<Identify>("/fivebar_planner/identify", goal, progress);
  ASSERT_EQ(result.code, ResultCode::SUCCEEDED) << result.result->message;
  EXPECT_LT(result.result->misfit, 1.2);
  EXPECT_EQ(result.result->names.size(), result.result->values.size());
  EXPECT_FALSE(result.result->names.empty());
  EXPECT_NO_THROW(load_robot(file("robot.yaml")));
  EXPECT_THAT(result.result->message, HasSubstr("the model explains the data"));
  goal.free = {"colour"};
  EXPECT_THAT(
    ask<Identify>("/fivebar_planner/identify", goal, progress).result->message,
    HasSubstr("got 'colour'"));
}

}  // namespace fivebar_control::test
