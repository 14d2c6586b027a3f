// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "fivebar_control/simulation/open_loop.hpp"
#include "fivebar_control/simulation/simulated_robot.hpp"
#include "fivebar_control/support/errors.hpp"
#include "model/robots.hpp"

namespace fivebar_control::test
{
namespace
{

constexpr std::int64_t millisecond = 1'000'000;

Eigen::Vector2d volts_at(int cycle)
{
  return {std::sin(2e-3 * cycle), 0.5 * std::cos(3e-3 * cycle)};
}

Eigen::Vector4d state_after(const PlantParameters & plant, int cycles)
{
  const RobotModel robot = default_robot();
  SimulatedRobot hardware(robot, plant, robot.parameters().home, millisecond);
  hardware.open();
  hardware.arm();
  MotorSample sample;
  for (int k = 0; k < cycles; ++k)
  {
    hardware.read(sample);
    hardware.write(volts_at(k));
  }
  hardware.read(sample);
  return hardware.state();
}

TEST(Plant, TheOldNameOfTheMismatchedRobotStillWorks)
{
  EXPECT_EQ(load_plant(config_path("plants/wrong.yaml")).name, "mismatched");
}

TEST(SimulatedRobot, MovesAsTheModelUnderVoltsHeldForEachPeriod)
{
  const RobotModel robot = default_robot();
  constexpr int cycles = 500;
  Eigen::Vector4d x = robot.home_state();
  for (int k = 0; k < cycles; ++k)
  {
    const Eigen::Vector2d u(volts_at(k)[0], volts_at(k)[1]);
    x = simulate(robot, x, {{0.0, 1e-3}, {u, u}}).back();
  }
  EXPECT_NEAR((state_after({}, cycles) - x).norm(), 0.0, 1e-11);
}

TEST(SimulatedRobot, IsTheRobotWithThePlantsDeviations)
{
  const RobotModel robot = default_robot();
  const PlantParameters mismatched = load_plant(config_path("plants/mismatched.yaml"));
  const Physics<double> physics = plant_physics(robot, mismatched);
  for (std::size_t i = 0; i < 4; ++i)
  {
    EXPECT_DOUBLE_EQ(physics.links[i].mass, 1.2 * robot.physics().links[i].mass);
    EXPECT_DOUBLE_EQ(physics.links[i].inertia, 1.2 * robot.physics().links[i].inertia);
    EXPECT_EQ(physics.links[i].length, robot.physics().links[i].length);
  }
  for (std::size_t i = 0; i < 2; ++i)
  {
    EXPECT_EQ(physics.motors[i].rotor_inertia, robot.physics().motors[i].rotor_inertia);
    EXPECT_DOUBLE_EQ(physics.motors[i].damping, 1.5 * robot.physics().motors[i].damping);
    EXPECT_EQ(physics.friction[i].coulomb, 0.01);
    EXPECT_EQ(physics.friction[i].coulomb_velocity, 1e-3);
  }
}

TEST(SimulatedRobot, IntegrationHasConvergedInSpiteOfTheSteepFriction)
{
  PlantParameters plant = load_plant(config_path("plants/mismatched.yaml"));
  plant.integration_step = 1e-6;
  const Eigen::Vector4d exact = state_after(plant, 3000);
  double before = 0.0;
  for (const double step : {1e-4, 5e-5, 2.5e-5})
  {
    plant.integration_step = step;
    const double error = (state_after(plant, 3000) - exact).norm();
    EXPECT_LT(error, 2e-6) << step;
    if (before > 0.0)
    {
      EXPECT_LT(error, 0.5 * before) << step;
    }
    before = error;
  }
}

TEST(SimulatedRobot, RepeatsItselfToTheLastBitAndFollowsItsSeed)
{
  const RobotModel robot = default_robot();
  PlantParameters plant = load_plant(config_path("plants/noisy.yaml"));
  const auto counts = [&](std::uint64_t seed) {
    plant.seed = seed;
    SimulatedRobot hardware(robot, plant, robot.parameters().home, millisecond);
    hardware.open();
    hardware.arm();
    std::vector<std::int64_t> result;
    MotorSample sample;
    for (int k = 0; k < 300; ++k)
    {
      hardware.read(sample);
      hardware.write(volts_at(k));
      result.insert(result.end(), sample.counts.begin(), sample.counts.end());
    }
    return result;
  };
  EXPECT_EQ(counts(3), counts(3));
  EXPECT_NE(counts(3), counts(4));
}

TEST(SimulatedRobot, DelaysTheVoltsByWholeCycles)
{
  const RobotModel robot = default_robot();
  for (const int delay : {0, 1, 5})
  {
    PlantParameters plant;
    plant.delay_cycles = delay;
    SimulatedRobot hardware(robot, plant, robot.parameters().home, millisecond);
    hardware.open();
    hardware.arm();
    MotorSample sample;
    hardware.read(sample);
    hardware.write({1.0, 0.0});
    int cycles = 0;
    do
    {
      hardware.read(sample);
      ++cycles;
    } while (hardware.motor_volts()[0] == 0.0 && cycles < 30);
    EXPECT_EQ(cycles, delay + 1);
  }
}

TEST(SimulatedRobot, SaturatesAtItsSupply)
{
  const RobotModel robot = default_robot();
  PlantParameters plant;
  plant.supply_voltage = 2.0;
  SimulatedRobot hardware(robot, plant, robot.parameters().home, millisecond);
  hardware.open();
  hardware.arm();
  MotorSample sample;
  hardware.read(sample);
  hardware.write({5.0, -7.0});
  hardware.read(sample);
  EXPECT_EQ(hardware.motor_volts(), Eigen::Vector2d(2.0, -2.0));
}

TEST(SimulatedRobot, CountsLikeItsEncoder)
{
  const RobotModel robot = default_robot();
  PlantParameters plant;
  plant.start = Eigen::Vector2d(0.1, 1.4);
  SimulatedRobot hardware(robot, plant, robot.parameters().home, millisecond);
  hardware.open();
  MotorSample sample;
  EXPECT_EQ(hardware.read(sample), HardwareError::none);
  EXPECT_EQ(sample.counts[0], std::llround(0.1 / (2.0 * std::numbers::pi) * 4096.0));
  const double half_a_count = std::numbers::pi / 4096.0;
  EXPECT_NEAR(hardware.encoder().angle(sample)[0], 0.1, half_a_count);
  EXPECT_NEAR(hardware.encoder().angle(sample)[1], 1.4, half_a_count);
}

TEST(SimulatedRobot, DrivesOnlyWhileArmed)
{
  const RobotModel robot = default_robot();
  SimulatedRobot hardware(robot, {}, robot.parameters().home, millisecond);
  MotorSample sample;
  EXPECT_EQ(hardware.arm(), HardwareError::no_device);
  EXPECT_EQ(hardware.read(sample), HardwareError::no_device);
  hardware.open();
  EXPECT_EQ(hardware.write({1.0, 1.0}), HardwareError::not_armed);
  hardware.arm();
  EXPECT_EQ(hardware.write({std::nan(""), 1.0}), HardwareError::bad_data);
  EXPECT_EQ(hardware.write({1.0, 1.0}), HardwareError::none);
  hardware.disarm();
  hardware.read(sample);
  hardware.read(sample);
  EXPECT_EQ(hardware.motor_volts().norm(), 0.0);
  EXPECT_EQ(sample.status & motor_status::armed, 0U);
}

TEST(PlantFile, NamesLineAndKeyOfWhatItRefuses)
{
  const auto refusal = [](const std::string & text) -> std::string {
    try
    {
      parse_plant(text, "p.yaml");
    }
    catch (const InputError & error)
    {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(refusal("schema: 1\nscale: {link_mass: 0}\n"), testing::HasSubstr("p.yaml:2:"));
  EXPECT_THAT(refusal("schema: 1\nscale: {link_mas: 1}\n"), testing::HasSubstr("link_mass"));
  EXPECT_THAT(refusal("schema: 1\ndelay_cycles: 99\n"), testing::HasSubstr("delay_cycles"));
  EXPECT_THAT(refusal("schema: 1\nencoder: {noise: -1}\n"), testing::HasSubstr("encoder.noise"));
  EXPECT_EQ(refusal("schema: 1\n"), "accepted");
}

}  // namespace
}  // namespace fivebar_control::test
