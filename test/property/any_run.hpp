// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "fivebar_control/controller/control_core.hpp"
#include "model/robots.hpp"
#include "property/property.hpp"

namespace fivebar_control::test
{

inline constexpr std::int64_t period_ns = 1'000'000;
inline constexpr double period = 1e-3;

/// The default robot with random limits, wide enough that a tame run does not hit them.
inline RobotModel any_robot(Random & random)
{
  static const RobotParameters base = default_robot().parameters();
  RobotParameters parameters = base;
  parameters.limits.voltage = random.uniform(0.5, 24.0);
  parameters.limits.voltage_rate = std::pow(10.0, random.uniform(0.5, 5.0));
  parameters.limits.joint_speed = 1e12;
  return RobotModel(parameters);
}

/// A short plan near the home pose: uneven nodes, rough volts.
inline PlanSamples any_samples(Random & random, const RobotModel & robot)
{
  const Eigen::Vector2d home = robot.parameters().home;
  const double limit = robot.limits().voltage;
  PlanSamples s;
  double t = 0.0;
  for (int i = random.integer(2, 40); i > 0; --i)
  {
    s.t.push_back(t);
    t += random.uniform(1e-4, 0.02);
    s.u1.push_back(random.uniform(-limit, limit));
    s.u4.push_back(random.uniform(-limit, limit));
    s.phi1.push_back(home[0] + random.uniform(-0.1, 0.1));
    s.phi4.push_back(home[1] + random.uniform(-0.1, 0.1));
    s.dphi1.push_back(random.uniform(-3.0, 3.0));
    s.dphi4.push_back(random.uniform(-3.0, 3.0));
    s.x.push_back(0.0);
    s.y.push_back(0.0);
  }
  return s;
}

inline ControllerSettings any_settings(Random & random)
{
  ControllerSettings settings;
  settings.gains = {
    random.uniform(0.0, 60.0), random.uniform(0.0, 2.0), random.uniform(0.0, 50.0),
    random.uniform(0.0, 3.0)};
  settings.velocity.method = static_cast<VelocityMethod>(random.integer(0, 1));
  settings.velocity.cutoff = random.uniform(5.0, 200.0);
  settings.start = {0.02, random.uniform(0.5, 5.0), random.uniform(0.0, 0.02), 0.5};
  const auto brief = [&] { return random.uniform(1e-4, 0.1); };
  settings.end = {brief(), brief(), brief(), brief()};
  // Random clocks make late, stale and jumping samples; here the run is to survive most of them.
  settings.guard.late_cycles_in_a_row = random.integer(2, 1000);
  settings.guard.failures_in_a_row = random.integer(2, 1000);
  settings.guard.jump_speed = 1e15;
  return settings;
}

inline ControlMode any_mode(Random & random)
{
  return static_cast<ControlMode>(random.integer(0, 2));
}

/// A clock that jitters, stands still, goes back, and now and then is somewhere else altogether.
class AnyClock
{
public:
  explicit AnyClock(Random & random) : trouble_(random.chance(0.2) ? 0.0 : random.uniform(0.0, 0.3))
  {
  }

  std::int64_t next(Random & random)
  {
    const double T = static_cast<double>(period_ns);
    if (!random.chance(trouble_))
    {
      return time_ns += static_cast<std::int64_t>(T * random.uniform(0.7, 1.3));
    }
    switch (random.integer(0, 5))
    {
      case 0:
        break;
      case 1:
        time_ns -= static_cast<std::int64_t>(T * random.uniform(0.0, 3.0));
        break;
      case 2:
        time_ns += static_cast<std::int64_t>(T * random.uniform(1.4, 20.0));
        break;
      case 3:
        time_ns += static_cast<std::int64_t>(T * random.uniform(0.0, 0.6));
        break;
      case 4:
        time_ns += random.integer(-1, 2) * period_ns / 2;  // the very edges of early and late
        break;
      default:
        time_ns = static_cast<std::int64_t>(random.uniform(-4e18, 4e18));
        break;
    }
    return time_ns;
  }

  std::int64_t time_ns = 0;

private:
  double trouble_;
};

inline ControlCommand any_command(Random & random, ControlState state)
{
  if (state == ControlState::idle && random.chance(0.3))
  {
    return random.chance(0.5) ? ControlCommand::start : ControlCommand::align_and_start;
  }
  if (!random.chance(0.005))
  {
    return ControlCommand::none;
  }
  return static_cast<ControlCommand>(random.integer(0, 5));
}

inline bool drives(ControlState state)
{
  return state != ControlState::idle && state != ControlState::fault;
}

}  // namespace fivebar_control::test
