// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <control_msgs/action/follow_joint_trajectory.hpp>
#include <control_msgs/srv/query_trajectory_state.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <rclcpp_action/rclcpp_action.hpp>
#include <string>
#include <trajectory_msgs/msg/joint_trajectory.hpp>

#include "clerk.hpp"
#include "run_desk.hpp"
#include "trajectory_messages.hpp"

namespace fivebar_control
{

/// The controller as users of joint_trajectory_controller know theirs: action
/// ~/follow_joint_trajectory, topic ~/joint_trajectory and service ~/query_state. A trajectory is
/// turned into a plan, with the voltages that the model needs for it, checked like any plan and
/// played under the same guard. A newer one goes on from the one that is followed, in motion.
class TrajectoryServer : public std::enable_shared_from_this<TrajectoryServer>
{
public:
  TrajectoryServer(std::shared_ptr<RunDesk> desk, JointNames joints);

  /// After construction, because the callbacks hold weak pointers to this object.
  void start();

private:
  using Follow = control_msgs::action::FollowJointTrajectory;
  using Query = control_msgs::srv::QueryTrajectoryState;
  using Trajectory = trajectory_msgs::msg::JointTrajectory;
  using GoalHandle = rclcpp_action::ServerGoalHandle<Follow>;
  using Goal = std::shared_ptr<GoalHandle>;
  /// Called with an error code of the action and a sentence.
  using Refuse = std::function<void(int code, const std::string & reason)>;

  /// A trajectory that shall be followed. Its job is made anew for every attempt.
  struct Wish
  {
    std::shared_ptr<const Trajectory> trajectory;
    std::function<RunJob()> make_job;
    Refuse refuse;
    double lead = 0.02;  ///< s that making a plan of it may take while another one is followed
  };
  /// Where a new trajectory can go on from the one that is followed.
  struct Junction
  {
    std::uint64_t run = 0;
    std::int64_t at_ns = 0;  ///< of its plan
    JointMotion motion;
  };

  void take_goal(const Goal & goal);
  void take_message(const Trajectory::ConstSharedPtr & message);
  void begin_message();
  void after_message(std::uint64_t run);
  // On the clerk's thread: from trajectory to plan to run.
  void begin(const Wish & wish);
  void begin_at_rest(const Wish & wish);
  void take_over(const Wish & wish, const Junction & junction);
  /// None if nothing of ours is followed any more, or if it is being stopped and does not end soon.
  std::optional<Junction> find_junction(double lead) const;
  bool is_following() const;
  std::shared_ptr<const LoadedPlan> plan_of(
    const Wish & wish, const JointMotion & start, double begins_in) const;
  bool cancel(const Goal & goal);
  RunJob job_of(const Goal & goal);
  void show_progress(const Goal & goal, const RunNews & news) const;
  void finish(const Goal & goal, const RunResult & run);
  void answer(const Query::Request & request, Query::Response & response) const;

  std::shared_ptr<RunDesk> desk_;
  JointNames joints_;

  mutable std::mutex mutex_;
  Goal goal_;              ///< that is being played
  std::uint64_t run_ = 0;  ///< of the goal or the message that is being played; 0: none
  Trajectory::ConstSharedPtr waiting_;  ///< the newest message, until it is taken

  rclcpp_action::Server<Follow>::SharedPtr follow_server_;
  rclcpp::Subscription<Trajectory>::SharedPtr subscription_;
  rclcpp::Service<Query>::SharedPtr query_service_;
  Clerk clerk_;
};

}  // namespace fivebar_control
