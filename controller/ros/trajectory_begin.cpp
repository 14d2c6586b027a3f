// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <thread>

#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/nanoseconds.hpp"
#include "trajectory_server.hpp"

// From a trajectory to a run: of a robot at rest, or of one that follows another trajectory. All of
// it on the clerk's thread, which may wait.

namespace fivebar_control
{
namespace
{

using Result = control_msgs::action::FollowJointTrajectory::Result;

constexpr double longest_lead = 1.0;  // s
constexpr std::chrono::milliseconds pause(5);

/// What the loop tells next: where the robot is now, and not before it was activated.
RunNews next_news(const RunDesk & desk)
{
  constexpr std::chrono::milliseconds patience(1000);
  const std::int64_t before = desk.last_news().time_ns;
  const auto end = std::chrono::steady_clock::now() + patience;
  while (desk.is_active() && desk.last_news().time_ns == before &&
         std::chrono::steady_clock::now() < end)
  {
    std::this_thread::sleep_for(pause);
  }
  return desk.last_news();
}

/// The reference of a plan, and how it changes.
JointMotion motion_at(const PlayablePlan & plan, double time)
{
  constexpr double h = 1e-4;  // s
  std::size_t interval = 0;
  const double earlier = std::max(0.0, time - h);
  const double later = std::min(plan.duration(), time + h);
  const Eigen::Vector2d speed_before = plan.at(earlier, interval).speed;
  const Reference here = plan.at(time, interval);
  const Eigen::Vector2d speed_after = plan.at(later, interval).speed;
  return {here.phi, here.speed, (speed_after - speed_before) / (later - earlier)};
}

}  // namespace

bool TrajectoryServer::is_following() const
{
  const std::lock_guard lock(mutex_);
  return run_ != 0;
}

std::optional<TrajectoryServer::Junction> TrajectoryServer::find_junction(double lead) const
{
  constexpr std::chrono::seconds patience(5);
  const auto end = std::chrono::steady_clock::now() + patience;
  for (; is_following() && std::chrono::steady_clock::now() < end;
       std::this_thread::sleep_for(pause))
  {
    const std::optional<RunDesk::Playing> playing = desk_->playing();
    const bool holds = playing && playing->news.state == ControlState::holding;
    if (!playing || (!holds && playing->news.state != ControlState::playing))
    {
      continue;  // it has not begun, or it is being stopped
    }
    const PlayablePlan & plan = playing->plan->playable;
    const double age =
      1e-9 * static_cast<double>(desk_->node()->now().nanoseconds() - playing->news.time_ns);
    // Rounded before it is used, so that both sides mean the same moment.
    const std::int64_t at_ns =
      nanoseconds(playing->news.plan_time + std::clamp(age, 0.0, 0.2) + lead);
    const double at = 1e-9 * static_cast<double>(at_ns);
    if (holds || at >= plan.duration())
    {
      JointMotion rest;
      rest.phi = motion_at(plan, plan.duration()).phi;
      return Junction{playing->run, nanoseconds(plan.duration()) + 1'000'000, rest};
    }
    return Junction{playing->run, at_ns, motion_at(plan, at)};
  }
  return std::nullopt;
}

std::shared_ptr<const LoadedPlan> TrajectoryServer::plan_of(
  const Wish & wish, const JointMotion & start, double begins_in) const
{
  const auto points = points_of(
    *wish.trajectory, joints_, desk_->node()->now().nanoseconds() + nanoseconds(begins_in));
  return desk_->prepare(
    plan_of_trajectory(desk_->robot(), points, start, "trajectory"), "trajectory");
}

void TrajectoryServer::begin(const Wish & wish)
{
  try
  {
    const std::optional<Junction> junction = find_junction(wish.lead);
    junction ? take_over(wish, *junction) : begin_at_rest(wish);
  }
  catch (const WrongJoints & error)
  {
    wish.refuse(Result::INVALID_JOINTS, error.what());
  }
  catch (const TrajectoryOfThePast & error)
  {
    wish.refuse(Result::OLD_HEADER_TIMESTAMP, error.what());
  }
  catch (const std::exception & error)
  {
    wish.refuse(Result::INVALID_GOAL, error.what());
  }
}

void TrajectoryServer::begin_at_rest(const Wish & wish)
{
  JointMotion start;
  start.phi = next_news(*desk_).angle;
  RunJob job = wish.make_job();
  job.plan = plan_of(wish, start, 0.0);
  job.on_refusal = [refuse = wish.refuse](const std::string & reason) {
    refuse(Result::INVALID_GOAL, reason);
  };
  desk_->begin(std::move(job));
}

void TrajectoryServer::take_over(const Wish & wish, const Junction & junction)
{
  RunJob job = wish.make_job();
  job.plan = plan_of(wish, junction.motion, wish.lead);
  const std::weak_ptr<TrajectoryServer> weak = weak_from_this();
  job.on_missed = [weak, wish]() {
    const auto self = weak.lock();
    Wish again = wish;
    again.lead *= 2.0;
    const bool taken = self && again.lead < longest_lead && self->clerk_.take([weak, again]() {
      if (const auto server = weak.lock())
      {
        server->begin(again);
      }
    });
    if (!taken)
    {
      wish.refuse(
        Result::INVALID_GOAL, "the trajectory before could not be taken over in time: cancel it");
    }
  };
  desk_->take_over(junction.run, junction.at_ns, std::move(job));
}

}  // namespace fivebar_control
