// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <ament_index_cpp/get_package_share_directory.hpp>
#include <control_msgs/action/follow_joint_trajectory.hpp>
#include <control_msgs/msg/joint_trajectory_controller_state.hpp>
#include <fivebar_control/action/execute_plan.hpp>
#include <fstream>

#include "described.hpp"
#include "failing_robot.hpp"
#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/plan/joint_trajectory.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/plan/playable_plan.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "manager_fixture.hpp"

// joint_trajectory_controller, as it is, on the effort interfaces of the simulated robot.
namespace fivebar_control::test
{
namespace
{

using ExecutePlan = fivebar_control::action::ExecutePlan;
using FollowJointTrajectory = control_msgs::action::FollowJointTrajectory;
using TrajectoryState = control_msgs::msg::JointTrajectoryControllerState;

const std::string source = FIVEBAR_SOURCE_DIR "/config/";

class JointTrajectory : public ManagedRobot
{
protected:
  void SetUp() override
  {
    ManagedRobot::SetUp();
    save_plan(plan_, folder_ / "b.csv");
  }

  /// Both controllers, with the shipped parameters; the factors multiply those of the trajectory.
  void start(double p_factor, double d_factor)
  {
    const std::string share = ament_index_cpp::get_package_share_directory("fivebar_control");
    std::string text = read_text_file(share + "/config/joint_trajectory.yaml", 100'000);
    replace(text, "$(var prefix)", "");
    replace(text, "p: 3.24", "p: " + std::to_string(p_factor * 3.24));
    replace(text, "d: 0.155", "d: " + std::to_string(d_factor * 0.155));
    replace(text, "state_publish_rate: 250.0", "state_publish_rate: 1000.0");
    replace(
      text, "      type: joint_trajectory_controller/JointTrajectoryController\n",
      "      type: joint_trajectory_controller/JointTrajectoryController\n"
      "    feedforward_controller:\n      type: fivebar_control/FeedforwardController\n");
    text += "\n/**/feedforward_controller:\n  ros__parameters:\n    robot: " + source +
            "robot.yaml\n    plan: " + (folder_ / "b.csv").string() + "\n";
    std::ofstream(folder_ / "controllers.yaml") << text;
    start_manager(
      described(
        share, "plant:=" + source + "plants/mismatched.yaml robot:=" + source +
                 "robot.yaml hardware_plugin:=fivebar_control_test/WatchedSystem"),
      folder_ / "controllers.yaml");
  }

  FollowJointTrajectory::Goal goal() const
  {
    const PlayablePlan plan(plan_.samples);
    FollowJointTrajectory::Goal goal;
    goal.trajectory.joint_names = {"joint_1", "joint_4"};
    std::size_t interval = 0;
    constexpr int points_per_second = 100;
    const int last = static_cast<int>(plan.duration() * points_per_second);
    for (int i = 1; i <= last; ++i)
    {
      const double time = static_cast<double>(i) / points_per_second;
      const Reference at = plan.at(time, interval);
      trajectory_msgs::msg::JointTrajectoryPoint point;
      point.positions = {at.phi[0], at.phi[1]};
      point.velocities = {i == last ? 0.0 : at.speed[0], i == last ? 0.0 : at.speed[1]};
      point.time_from_start = rclcpp::Duration::from_seconds(time);
      goal.trajectory.points.push_back(point);
    }
    return goal;
  }

  /// m² s, of the point P by the angles that the controller measured and those that it wanted.
  double squared_error(const TrajectoryState & state) const
  {
    const auto point = [&](const std::vector<double> & angle) {
      return robot_.kinematics().forward({angle[0], angle[1]})->end_effector;
    };
    return (point(state.reference.positions) - point(state.feedback.positions)).squaredNorm();
  }

  /// Away from home and back in 2 s, at rest at both ends, as a hundred points a second with speeds
  /// and accelerations.
  FollowJointTrajectory::Goal gentle_goal() const
  {
    JointMotion home;
    home.phi = robot_.parameters().home;
    const JointPath path(
      {{0.6, home.phi + Eigen::Vector2d(0.3, -0.2), {}, {}},
       {1.2, home.phi + Eigen::Vector2d(0.1, 0.3), {}, {}},
       {2.0, home.phi, {}, {}}},
      home, "gentle");
    FollowJointTrajectory::Goal goal;
    goal.trajectory.joint_names = {"joint_1", "joint_4"};
    for (int i = 1; i <= 200; ++i)
    {
      const JointMotion at = path.at(0.01 * i);
      trajectory_msgs::msg::JointTrajectoryPoint point;
      point.positions = {at.phi[0], at.phi[1]};
      point.velocities = {at.speed[0], at.speed[1]};
      point.accelerations = {at.acceleration[0], at.acceleration[1]};
      point.time_from_start = rclcpp::Duration::from_seconds(0.01 * i);
      goal.trajectory.points.push_back(point);
    }
    return goal;
  }

  /// m² s, of P while the controller follows this goal, by its own state message.
  double squared_error_of(const std::string & controller, const FollowJointTrajectory::Goal & goal)
  {
    double sum = 0.0;
    int samples = 0;
    const auto subscription = node_->create_subscription<TrajectoryState>(
      "/" + controller + "/controller_state", 100, [&](const TrajectoryState & state) {
        if (state.reference.velocities[0] != 0.0 && state.feedback.positions.size() == 2)
        {
          sum += squared_error(state);
          ++samples;
        }
      });
    const auto followed =
      play<FollowJointTrajectory>("/" + controller + "/follow_joint_trajectory", goal);
    EXPECT_EQ(followed.code, rclcpp_action::ResultCode::SUCCEEDED) << followed.result->error_string;
    EXPECT_GT(samples, 200) << "of 2000 cycles; a busy machine loses some";
    return 2.0 * sum / samples;
  }

  const RobotModel robot_ = load_robot(source + "robot.yaml");
  const Plan plan_ = make_plan(robot_, load_plan_request(source + "curves/b.yaml")).plan;
};

TEST_F(JointTrajectory, DrivesTheRobotByEffortsLessExactlyThanThePlanPlayedWithItsVolts)
{
  start(1.0, 1.0);
  ASSERT_EQ(activate("joint_trajectory_controller"), Return::OK);
  load("feedforward_controller");
  EXPECT_EQ(switch_to({"feedforward_controller"}, {}), Return::ERROR)
    << "volts beside efforts must be refused";
  double sum = 0.0;
  int samples = 0;
  bool playing = false;
  const auto subscription = node_->create_subscription<TrajectoryState>(
    "/joint_trajectory_controller/controller_state", 100, [&](const TrajectoryState & state) {
      playing = playing || state.reference.velocities[0] != 0.0;
      if (playing && state.feedback.positions.size() == 2)
      {
        sum += squared_error(state);
        ++samples;
      }
    });
  const auto followed =
    play<FollowJointTrajectory>("/joint_trajectory_controller/follow_joint_trajectory", goal());
  ASSERT_EQ(followed.code, rclcpp_action::ResultCode::SUCCEEDED);
  const double duration = PlayablePlan(plan_.samples).duration();
  EXPECT_GT(samples, 4000) << "of 5000 cycles";
  const double theirs = sum / samples * duration;
  EXPECT_EQ(latest_injection()->fault, "");
  EXPECT_TRUE(latest_injection()->armed);

  ASSERT_EQ(switch_to({"feedforward_controller"}, {"joint_trajectory_controller"}), Return::OK);
  ExecutePlan::Goal ours;
  ours.align = true;
  const auto executed = play<ExecutePlan>("/feedforward_controller/execute_plan", ours);
  ASSERT_NE(executed.result, nullptr);
  ASSERT_EQ(executed.code, rclcpp_action::ResultCode::SUCCEEDED) << executed.result->message;
  std::printf(
    "curve B on the mismatched robot: joint_trajectory_controller on effort %.3e m^2 s, "
    "feedforward "
    "controller %.3e m^2 s, ratio %.1f\n",
    theirs, executed.result->ise, theirs / executed.result->ise);
  // Seen: 8.145e-06 and 4.143e-06 m^2 s.
  EXPECT_GT(theirs, 1.5 * executed.result->ise);
}

TEST_F(JointTrajectory, IsFollowedByTheFeedforwardControllerMoreExactly)
{
  start(1.0, 1.0);
  ASSERT_EQ(activate("feedforward_controller"), Return::OK);
  load("joint_trajectory_controller");
  const FollowJointTrajectory::Goal wanted = gentle_goal();
  // First ours, which begins where the robot is: the other leaves it a little away from home.
  const double ours = squared_error_of("feedforward_controller", wanted);
  ASSERT_EQ(switch_to({"joint_trajectory_controller"}, {"feedforward_controller"}), Return::OK);
  const double theirs = squared_error_of("joint_trajectory_controller", wanted);
  std::printf(
    "one goal on the mismatched robot: joint_trajectory_controller on effort %.3e m^2 s, "
    "feedforward controller %.3e m^2 s, ratio %.1f\n",
    theirs, ours, theirs / ours);
  // 1.6 times when this was written: on a gentle motion the efforts of the other are good, too.
  EXPECT_GT(theirs, ours);
}

TEST_F(JointTrajectory, GoneMadIsStoppedByTheGuardBelowIt)
{
  // Gains far too high, and the damping of the wrong sign. Of the right sign they chatter within
  // the robot's limits, which the guard lets pass.
  start(300.0, -300.0);
  ASSERT_EQ(activate("joint_trajectory_controller"), Return::OK);
  const auto client = rclcpp_action::create_client<FollowJointTrajectory>(
    node_, "/joint_trajectory_controller/follow_joint_trajectory");
  ASSERT_TRUE(cycle_until([&] { return client->action_server_is_ready(); }));
  client->async_send_goal(goal());
  ASSERT_TRUE(cycle_until(
    [&] { return latest_injection()->driven_cycles > 0 && !latest_injection()->armed; }));
  EXPECT_EQ(latest_injection()->last_volts, Eigen::Vector2d::Zero());
  const int driven = latest_injection()->driven_cycles;
  for (int i = 0; i < 1000; ++i)
  {
    cycle();
    executor_->spin_some();
  }
  EXPECT_EQ(latest_injection()->driven_cycles, driven) << "it stays off";
  EXPECT_LT(driven, 2000);
}

}  // namespace
}  // namespace fivebar_control::test
