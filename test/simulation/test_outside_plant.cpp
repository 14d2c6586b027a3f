// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fivebar_control/simulation/outside_plant.hpp"
#include "fivebar_control/support/errors.hpp"
#include "model/robots.hpp"

namespace fivebar_control::test
{
namespace
{

constexpr std::int64_t millisecond = 1'000'000;

Eigen::Vector2d volts_at(int cycle)
{
  return {8.0 * std::sin(2e-2 * cycle), 5.0 * std::cos(3e-2 * cycle)};
}

class OutsidePlantOf : public testing::TestWithParam<const char *>
{
};

PlantParameters demanding_plant(const char * file)
{
  PlantParameters plant = load_plant(config_path(file));
  plant.delay_cycles = 3;
  plant.supply_voltage = 6.0;
  plant.angle_noise = 2e-3;
  plant.watchdog_time = 0.02;
  plant.faults.wiring.motor_inverted[1] = true;
  plant.effects.eccentricity = 0.01;
  plant.effects.dead_band = 0.3;
  plant.effects.variation = {0.1, 0.1, 0.01, 7, 3};
  return plant;
}

/// What the controller sees: everything that an encoder and a status tell.
std::vector<std::int64_t> seen(const MotorSample & sample)
{
  return {sample.time_ns, sample.counts[0], sample.counts[1], sample.status};
}

}  // namespace

TEST_P(OutsidePlantOf, ShowsTheControllerWhatTheSimulatedRobotDoes)
{
  const RobotModel robot = default_robot();
  const PlantParameters plant = demanding_plant(GetParam());
  SimulatedRobot own(robot, plant, robot.parameters().home, millisecond);
  OutsidePlant outside(robot, plant, millisecond);
  const auto simulator = make_equations_engine(robot, plant);
  simulator->reset(own.state());
  for (SimulatedRobot * hardware : {&own, &outside.robot()})
  {
    ASSERT_EQ(hardware->open(), HardwareError::none);
    ASSERT_EQ(hardware->arm(), HardwareError::none);
  }
  MotorSample sample, expected;
  int tripped = 0;
  for (int k = 0; k < 1000; ++k)
  {
    own.read(expected);
    outside.robot().read(sample);
    ASSERT_EQ(seen(sample), seen(expected)) << "cycle " << k;
    tripped += (sample.status & motor_status::watchdog_tripped) != 0U ? 1 : 0;
    if (k < 900)  // then silence, and the watchdog
    {
      own.write(volts_at(k));
      outside.robot().write(volts_at(k));
    }
    outside.torques();
    simulator->advance(outside.volts(), 1e-3);
    outside.moved(simulator->state());
  }
  EXPECT_GT((own.state() - robot.home_state()).head<2>().norm(), 0.02) << "it must have moved";
  EXPECT_GT(tripped, 50);
}

INSTANTIATE_TEST_SUITE_P(
  Plants, OutsidePlantOf, testing::Values("plants/perfect.yaml", "plants/mismatched.yaml"),
  [](const auto & file) {
    return std::string(file.param).find("perfect") != std::string::npos ? "Perfect" : "Mismatched";
  });

TEST(OutsidePlant, TorquesAreThoseOfThePlantsMotorsAndOfTheirCogging)
{
  const RobotModel robot = default_robot();
  PlantParameters plant;
  plant.torque_constant_scale = 0.8;
  plant.resistance_scale = 1.25;
  plant.effects.cogging = {0.02, 11.0, 0.3};
  OutsidePlant outside(robot, plant, millisecond);
  outside.robot().open();
  outside.robot().arm();
  MotorSample sample;
  const Eigen::Vector4d state = robot.home_state() + Eigen::Vector4d(0.2, 0.1, 0.0, 0.0);
  outside.moved(state);
  outside.robot().read(sample);
  outside.robot().write({1.5, -2.0});
  const Eigen::Vector2d torques = outside.torques();
  for (int i = 0; i < 2; ++i)
  {
    const Motor<double> & motor = robot.physics().motors[static_cast<std::size_t>(i)];
    const double gain = motor.gear_ratio * 0.8 * motor.torque_constant / (1.25 * motor.resistance);
    const double expected = gain * (i == 0 ? 1.5 : -2.0) - 0.02 * std::sin(11.0 * state[i] + 0.3);
    EXPECT_NEAR(torques[i], expected, 1e-14);
  }
}

TEST(OutsidePlant, RefusesWhatTheModelForGazeboCannotHave)
{
  const RobotModel robot = default_robot();
  const auto refusal = [&](auto && change) {
    PlantParameters plant;
    plant.name = "odd";
    change(plant);
    try
    {
      require_gazebo_plant(robot, plant);
    }
    catch (const InputError & error)
    {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  using testing::HasSubstr;
  EXPECT_THAT(refusal([](auto & p) { p.effects.gap = 0.01; }), HasSubstr("backlash"));
  EXPECT_THAT(refusal([](auto & p) { p.effects.stiffness = 30.0; }), HasSubstr("elastic"));
  EXPECT_THAT(refusal([](auto & p) { p.effects.lag = 0.01; }), HasSubstr("lag"));
  EXPECT_THAT(refusal([](auto & p) { p.faults.coasts = true; }), HasSubstr("plant 'odd'"));
  EXPECT_THAT(
    refusal([](auto & p) { p.start = Eigen::Vector2d(1.0, 1.0); }), HasSubstr("beside home"));
  EXPECT_EQ(refusal([](auto & p) { p.coulomb = 0.01; }), "accepted");
}

}  // namespace fivebar_control::test
