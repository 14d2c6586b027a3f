// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <filesystem>

#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "planner_node.hpp"

namespace fivebar_control::test
{

using PlanCurve = fivebar_control::action::PlanCurve;
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
    client_ = rclcpp_action::create_client<PlanCurve>(client_node_, "plan_curve");
  }

  rclcpp_action::ClientGoalHandle<PlanCurve>::WrappedResult plan(const PlanCurve::Goal & goal)
  {
    using namespace std::chrono_literals;
    while (!client_->action_server_is_ready())
    {
      executor_.spin_once(10ms);
    }
    rclcpp_action::Client<PlanCurve>::SendGoalOptions options;
    options.feedback_callback = [this](auto, const auto feedback) {
      progress_.push_back(*feedback);
    };
    auto sent = client_->async_send_goal(goal, options);
    EXPECT_EQ(executor_.spin_until_future_complete(sent, 60s), rclcpp::FutureReturnCode::SUCCESS);
    auto result = client_->async_get_result(sent.get());
    EXPECT_EQ(executor_.spin_until_future_complete(result, 60s), rclcpp::FutureReturnCode::SUCCESS);
    return result.get();
  }

  std::shared_ptr<PlannerNode> planner_;
  rclcpp::Node::SharedPtr client_node_;
  rclcpp::executors::SingleThreadedExecutor executor_;
  rclcpp_action::Client<PlanCurve>::SharedPtr client_;
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

}  // namespace fivebar_control::test
