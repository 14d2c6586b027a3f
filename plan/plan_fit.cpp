// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/plan/playable_plan.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

constexpr std::array<const char *, 2> index{"1", "4"};
/// The path between two nodes is looked at in at least so many places, and at least as often as it
/// is played: a plan may have few nodes.
constexpr int least_places_between = 4;
constexpr double longest_look = 1e-3;  // s
/// Intervals longer than so many time steps, or than so long, are gaps.
constexpr double longest_interval = 10.0;
constexpr double longest_gap = 1.0;  // s

/// Judges one plan; each judge throws InputError.
class PlanJudge
{
public:
  PlanJudge(const Plan & plan, const RobotModel & robot, const std::string & name)
  : samples_(plan.samples), time_step_(plan.time_step), robot_(robot), name_(name)
  {
  }

  void judge_volts(std::size_t i) const
  {
    const Limits & limits = robot_.limits();
    const Eigen::Vector2d u = samples_.volts(i);
    for (int j = 0; j < 2; ++j)
    {
      if (std::abs(u[j]) > limits.voltage + 1e-9)
      {
        refuse(
          samples_.t[i], fmt::format("voltage u{}", index[j]), u[j],
          fmt::format("{} V", limits.voltage));
      }
      if (i > 0)
      {
        const double rate = (u[j] - samples_.volts(i - 1)[j]) / (samples_.t[i] - samples_.t[i - 1]);
        if (std::abs(rate) > limits.voltage_rate * (1.0 + 1e-9))
        {
          refuse(
            samples_.t[i], fmt::format("voltage rate of u{}", index[j]), rate,
            fmt::format("{} V/s", limits.voltage_rate));
        }
      }
    }
  }

  void judge_interval(std::size_t i) const
  {
    const double length = i > 0 ? samples_.t[i] - samples_.t[i - 1] : 0.0;
    if (!(length <= std::min(longest_interval * time_step_, longest_gap)))
    {
      throw InputError(
        {name_},
        fmt::format(
          "there is a gap of {:.6g} s before t = {:.6g} s, the plan's time step is {:.6g} s; "
          "expected at most {:g} time steps and {:g} s",
          length, samples_.t[i], time_step_, longest_interval, longest_gap));
    }
  }

  void judge_motion(double t, const Eigen::Vector2d & phi, const Eigen::Vector2d & speed) const
  {
    const Limits & limits = robot_.limits();
    for (int j = 0; j < 2; ++j)
    {
      if (phi[j] < limits.joint_minimum[j] || phi[j] > limits.joint_maximum[j])
      {
        refuse(
          t, fmt::format("angle phi{}", index[j]), phi[j],
          fmt::format("{} to {} rad", limits.joint_minimum[j], limits.joint_maximum[j]));
      }
      if (!(std::abs(speed[j]) <= limits.joint_speed))
      {
        refuse(
          t, fmt::format("speed dphi{}", index[j]), speed[j],
          fmt::format("{} rad/s", limits.joint_speed));
      }
    }
    const auto pose = robot_.kinematics().forward(phi);
    if (!pose || pose->margins.parallel < limits.singularity_margin)
    {
      refuse(
        t, "singularity margin", pose ? pose->margins.parallel : 0.0,
        fmt::format("{}", limits.singularity_margin));
    }
    const double serial = std::min(pose->margins.serial_1, pose->margins.serial_4);
    if (serial < limits.serial_singularity_margin)
    {
      refuse(
        t, "serial singularity margin", serial,
        fmt::format("{}", limits.serial_singularity_margin));
    }
  }

private:
  [[noreturn]] void refuse(
    double t, const std::string & what, double value, const std::string & limit) const
  {
    throw InputError(
      {name_}, fmt::format(
                 "at t = {:.6g} s the plan has {} = {:.6g}, the robot's limit is {}", t, what,
                 value, limit));
  }

  const PlanSamples & samples_;
  double time_step_;
  const RobotModel & robot_;
  const std::string & name_;
};

}  // namespace

void require_plan_fits(const Plan & plan, const RobotModel & robot, const std::string & name)
{
  if (plan.robot_fingerprint != robot.fingerprint())
  {
    throw InputError(
      {name},
      fmt::format(
        "the plan was made for another robot ('{}', fingerprint {}); this robot is '{}' with "
        "fingerprint {}: plan again",
        plan.robot_name, plan.robot_fingerprint, robot.parameters().name, robot.fingerprint()));
  }
  const PlanSamples & s = plan.samples;
  const PlanJudge judge(plan, robot, name);
  const PlayablePlan path(s);
  std::size_t interval = 0;
  for (std::size_t i = 0; i < s.size(); ++i)
  {
    judge.judge_volts(i);
    judge.judge_motion(s.t[i], s.phi(i), s.speed(i));
    judge.judge_interval(i);
    // What is played between the nodes.
    const double length = i > 0 ? s.t[i] - s.t[i - 1] : 0.0;
    const int places =
      std::max(least_places_between, static_cast<int>(std::ceil(length / longest_look - 1e-6)) - 1);
    for (int k = 1; k <= places && i > 0; ++k)
    {
      const double t = s.t[i - 1] + length * k / (places + 1);
      const Reference reference = path.at(t, interval);
      judge.judge_motion(t, reference.phi, reference.speed);
    }
  }
}

bool plan_fits(const Plan & plan, const RobotModel & robot)
{
  try
  {
    require_plan_fits(plan, robot, "plan");
    return true;
  }
  catch (const InputError &)
  {
    return false;
  }
}

}  // namespace fivebar_control
