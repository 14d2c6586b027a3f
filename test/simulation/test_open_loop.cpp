// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "fivebar_control/simulation/open_loop.hpp"
#include "model/robots.hpp"

namespace fivebar_control
{
namespace
{

/// V1 = 0.5 sin 2t, V4 = 0.25 cos 3t, sampled finely enough that linear interpolation does not
/// show.
VoltageHistory reference_voltages(double duration, double spacing)
{
  VoltageHistory history;
  const int samples = static_cast<int>(std::lround(duration / spacing));
  for (int i = 0; i <= samples; ++i)
  {
    const double t = i * spacing;
    history.time.push_back(t);
    history.voltage.emplace_back(0.5 * std::sin(2.0 * t), 0.25 * std::cos(3.0 * t));
  }
  return history;
}

using Method = IntegrationOptions::Method;

}  // namespace

TEST(Simulation, GivesTheReferenceResponseByBothIntegrators)
{
  // The figures come from two independent models (shared with the project's specification).
  const RobotModel robot = test::default_robot();
  const VoltageHistory input = reference_voltages(5.0, 1e-4);
  for (const Method method : {Method::adaptive, Method::fixed_step})
  {
    const auto states = simulate(robot, robot.home_state(), input, {method, 1e-12, 1e-4});
    EXPECT_NEAR(states[10000][0], 0.510620232, 1e-8);
    EXPECT_NEAR(states[10000][1], 1.606529151, 1e-8);
    EXPECT_NEAR(states[20000][0], 0.644939455, 1e-8);
    EXPECT_NEAR(states[20000][1], 1.524556038, 1e-8);
    EXPECT_NEAR(states[50000][0], 0.703601607, 1e-8);
    EXPECT_NEAR(states[50000][1], 1.669750997, 1e-8);
  }
}

TEST(Simulation, FixedStepErrorShrinksWithTheFourthPowerOfTheStep)
{
  const RobotModel robot = test::default_robot();
  VoltageHistory input{{0.0, 1.0}, {Eigen::Vector2d(0.5, -0.4), Eigen::Vector2d(-0.3, 0.8)}};
  const auto end = [&](const IntegrationOptions & options) {
    return simulate(robot, robot.home_state(), input, options).back();
  };
  const Eigen::Vector4d exact = end({Method::adaptive, 1e-14, 0.0});
  const double coarse = (end({Method::fixed_step, 0.0, 1.0 / 64}) - exact).norm();
  const double fine = (end({Method::fixed_step, 0.0, 1.0 / 128}) - exact).norm();
  EXPECT_NEAR(std::log2(coarse / fine), 4.0, 0.3);
}

TEST(Simulation, EnergyBalanceHolds)
{
  // Work of the motors minus dissipation equals the change of kinetic and potential energy. The
  // power is integrated with the states by a fine Simpson rule over the stored trajectory.
  for (const char * file : {"robot.yaml", "robots/unequal.yaml"})
  {
    const RobotModel robot = load_robot(test::config_path(file));
    const DynamicsConstants<double> & k = robot.constants();
    VoltageHistory input;
    const int samples = 200000;
    const double spacing = 5.0 / samples;
    const double amplitude = file == std::string("robot.yaml") ? 1.0 : 0.6;
    const Eigen::Vector2d offset =
      inverse_dynamics<double>(k, robot.home_state(), Eigen::Vector2d::Zero());
    for (int i = 0; i <= samples; ++i)
    {
      const double t = i * spacing;
      input.time.push_back(t);
      input.voltage.push_back(
        offset + amplitude * Eigen::Vector2d(0.5 * std::sin(2 * t), 0.25 * std::cos(3 * t)));
    }
    const auto states = simulate(robot, robot.home_state(), input, {Method::fixed_step, 0.0, 1.0});
    double work = 0.0;
    for (int i = 0; i <= samples; ++i)
    {
      const auto & x = states[static_cast<std::size_t>(i)];
      const auto & u = input.voltage[static_cast<std::size_t>(i)];
      const double power = drive_torque<double>(k, 0, x[2], u[0]) * x[2] +
                           drive_torque<double>(k, 1, x[3], u[1]) * x[3];
      const double weight = i == 0 || i == samples ? 1.0 : (i % 2 == 1 ? 4.0 : 2.0);
      work += weight * power * spacing / 3.0;
    }
    const auto energy = [&](const Eigen::Vector4d & x) {
      return kinetic_energy<double>(k, x) + potential_energy<double>(k, x);
    };
    EXPECT_NEAR(energy(states.back()) - energy(states.front()), work, 1e-9) << file;
    EXPECT_GT(std::abs((states.back() - states.front())[0]), 0.05) << "it must really move";
  }
}

TEST(Simulation, SaysWhenTheMotionRunsThroughASingularity)
{
  const RobotModel robot = test::default_robot();
  VoltageHistory input;
  for (int i = 0; i <= 100; ++i)
  {
    input.time.push_back(0.01 * i);
    input.voltage.emplace_back(10.0, -10.0);
  }
  for (const Method method : {Method::adaptive, Method::fixed_step})
  {
    try
    {
      simulate(robot, robot.home_state(), input, {method, 1e-10, 1e-3});
      FAIL() << "no exception";
    }
    catch (const LeavesWorkspace & error)
    {
      EXPECT_GT(error.time.value(), 0.0);
      EXPECT_LT(error.time.value(), 1.0);
    }
  }
}

TEST(Simulation, BothIntegratorsStopAtTheSameSingularity)
{
  // Fixed steps do not meet the singular moment itself, they must notice that they passed it.
  const RobotModel robot = test::default_robot();
  test::RandomStates random(robot, 5);
  int stopped = 0;
  for (int trial = 0; trial < 60; ++trial)
  {
    VoltageHistory input;
    for (int i = 0; i <= 20; ++i)
    {
      input.time.push_back(0.05 * i);
      input.voltage.push_back(random.voltages());
    }
    const auto stop_time = [&](const IntegrationOptions & options) {
      try
      {
        simulate(robot, robot.home_state(), input, options);
      }
      catch (const LeavesWorkspace & error)
      {
        return error.time.value();
      }
      return -1.0;
    };
    const double adaptive = stop_time({});
    EXPECT_NEAR(stop_time({Method::fixed_step, 0.0, 2e-5}), adaptive, 1e-3) << "trial " << trial;
    stopped += adaptive >= 0.0 ? 1 : 0;
  }
  EXPECT_GT(stopped, 20);
  EXPECT_LT(stopped, 60);
}

}  // namespace fivebar_control
