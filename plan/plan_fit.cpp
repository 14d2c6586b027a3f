// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <array>
#include <cmath>

#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{

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
  const Limits & limits = robot.limits();
  const PlanSamples & s = plan.samples;
  const auto refuse =
    [&](std::size_t i, const std::string & what, double value, const std::string & limit) {
      throw InputError(
        {name}, fmt::format(
                  "at t = {:.6g} s the plan has {} = {:.6g}, the robot's limit is {}", s.t[i], what,
                  value, limit));
    };
  for (std::size_t i = 0; i < s.size(); ++i)
  {
    const Eigen::Vector2d u = s.volts(i);
    const Eigen::Vector2d phi = s.phi(i);
    const Eigen::Vector2d speed = s.speed(i);
    constexpr std::array<const char *, 2> index{"1", "4"};
    for (int j = 0; j < 2; ++j)
    {
      if (std::abs(u[j]) > limits.voltage + 1e-9)
      {
        refuse(i, fmt::format("voltage u{}", index[j]), u[j], fmt::format("{} V", limits.voltage));
      }
      if (phi[j] < limits.joint_minimum[j] || phi[j] > limits.joint_maximum[j])
      {
        refuse(
          i, fmt::format("angle phi{}", index[j]), phi[j],
          fmt::format("{} to {} rad", limits.joint_minimum[j], limits.joint_maximum[j]));
      }
      if (std::abs(speed[j]) > limits.joint_speed)
      {
        refuse(
          i, fmt::format("speed dphi{}", index[j]), speed[j],
          fmt::format("{} rad/s", limits.joint_speed));
      }
      if (i > 0)
      {
        const double rate = (u[j] - s.volts(i - 1)[j]) / (s.t[i] - s.t[i - 1]);
        if (std::abs(rate) > limits.voltage_rate * (1.0 + 1e-9))
        {
          refuse(
            i, fmt::format("voltage rate of u{}", index[j]), rate,
            fmt::format("{} V/s", limits.voltage_rate));
        }
      }
    }
    const auto pose = robot.kinematics().forward(phi);
    if (!pose || pose->margins.parallel < limits.singularity_margin)
    {
      refuse(
        i, "singularity margin", pose ? pose->margins.parallel : 0.0,
        fmt::format("{}", limits.singularity_margin));
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
