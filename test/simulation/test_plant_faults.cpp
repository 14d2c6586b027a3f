// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fivebar_control/simulation/simulated_plant.hpp"
#include "fivebar_control/support/errors.hpp"
#include "model/robots.hpp"

// What a plant file can break: cables, encoders, belts. Volts {1, 0.5} for 50 ms move both joints
// forward by some hundredths of a radian.

namespace fivebar_control::test
{
namespace
{

struct Seen
{
  Eigen::Vector2d moved;   ///< rad, truly
  Eigen::Vector2d showed;  ///< rad, by the encoders
};

Seen drive(const std::string & keys, int cycles = 50)
{
  const PlantParameters parameters = parse_plant("schema: 1\n" + keys, "p.yaml");
  const RobotModel robot = default_robot();
  const Eigen::Vector2d home = robot.parameters().home;
  SimulatedPlant plant(make_equations_engine(robot, parameters), parameters, home, home);
  for (int i = 0; i < cycles; ++i)
  {
    plant.advance({1.0, 0.5}, 1e-3);
    plant.read_counts();
  }
  const auto counts = plant.read_counts();
  const double count = 2.0 * std::acos(-1.0) / parameters.counts_per_turn;
  return {
    plant.state().head<2>() - home,
    count * Eigen::Vector2d(static_cast<double>(counts[0]), static_cast<double>(counts[1]))};
}

constexpr double count = 2.0 * 3.14159265358979 / 4096.0;

TEST(PlantFaults, AHealthyPlantMovesForwardAndShowsIt)
{
  const Seen seen = drive("");
  EXPECT_GT(seen.moved[0], 0.01);
  EXPECT_GT(seen.moved[1], 0.005);
  EXPECT_NEAR(seen.showed[0], seen.moved[0], count);
  EXPECT_NEAR(seen.showed[1], seen.moved[1], count);
}

TEST(PlantFaults, AnInvertedMotorTurnsTheOtherWay)
{
  EXPECT_LT(drive("wiring: {motor_1: inverted}").moved[0], -0.01);
  EXPECT_LT(drive("wiring: {motor_4: inverted}").moved[1], -0.005);
  EXPECT_GT(drive("wiring: {motor_1: right}").moved[0], 0.01);
}

TEST(PlantFaults, AnInvertedEncoderShowsTheMotionBackwards)
{
  const Seen seen = drive("wiring: {encoder_1: inverted, encoder_4: inverted}");
  EXPECT_GT(seen.moved[0], 0.01);
  EXPECT_NEAR(seen.showed[0], -seen.moved[0], count);
  EXPECT_NEAR(seen.showed[1], -seen.moved[1], count);
}

TEST(PlantFaults, SwappedCablesExchangeTheJoints)
{
  const Seen right = drive("");
  const Seen motors = drive("wiring: {motors: swapped}");
  EXPECT_GT(motors.moved[1], 1.5 * right.moved[1]);
  EXPECT_LT(motors.moved[0], 0.7 * right.moved[0]);
  const Seen encoders = drive("wiring: {encoders: swapped}");
  EXPECT_NEAR(encoders.showed[0], encoders.moved[1], count);
  EXPECT_NEAR(encoders.showed[1], encoders.moved[0], count);
}

TEST(PlantFaults, EncodersStickToggleJumpAndMiscountFromTheirTimeOn)
{
  const Seen stuck = drive("encoder: {stuck: 1, at: 0.02}");
  EXPECT_GT(stuck.showed[0], 0.0);
  EXPECT_LT(stuck.showed[0], 0.5 * stuck.moved[0]);
  EXPECT_NEAR(stuck.showed[1], stuck.moved[1], count);
  const double one = drive("encoder: {toggle: 1, at: 0.02}", 50).showed[0];
  const double other = drive("encoder: {toggle: 1, at: 0.02}", 51).showed[0];
  EXPECT_NEAR(std::abs(one - other), count, 1e-9) << "one count to and fro, whatever the link does";
  const Seen jump = drive("encoder: {jump: 0.08, joint: 4, at: 0.02}");
  EXPECT_NEAR(jump.showed[1], jump.moved[1] + 0.08, count);
  EXPECT_NEAR(jump.showed[0], jump.moved[0], count);
  const Seen half = drive("encoder: {counts_factor: 0.5}");
  EXPECT_NEAR(half.showed[0], 0.5 * half.moved[0], count);
}

TEST(PlantFaults, ALostBeltAndABridgeThatCoastsLetTheLinkGo)
{
  EXPECT_LT(std::abs(drive("belt: {lost: 1}").moved[0]), 0.3 * drive("").moved[0]);
  Eigen::Vector2d speed;
  for (int i = 0; i < 2; ++i)
  {
    const PlantParameters parameters =
      parse_plant(i == 0 ? "schema: 1\nzero_volts: brake" : "schema: 1\nzero_volts: coast", "p");
    const RobotModel robot = default_robot();
    const Eigen::Vector2d home = robot.parameters().home;
    SimulatedPlant plant(make_equations_engine(robot, parameters), parameters, home, home);
    for (int k = 0; k < 100; ++k)
    {
      plant.advance(k < 50 ? Eigen::Vector2d(1.0, 1.0) : Eigen::Vector2d(0.0, 0.0), 1e-3);
    }
    speed[i] = plant.state()[2];
  }
  EXPECT_GT(speed[1], 2.0 * speed[0]) << "without current only rotor friction is left";
}

TEST(PlantFaults, RefusesWhatIsNotAFault)
{
  for (const char * keys :
       {"wiring: {motor_2: inverted}", "wiring: {motor_1: swapped}", "encoder: {stuck: 2}",
        "encoder: {joint: 1}", "belt: {at: 1}", "zero_volts: fly", "encoder: {counts_factor: 0}"})
  {
    EXPECT_THROW(parse_plant(std::string("schema: 1\n") + keys, "p.yaml"), InputError) << keys;
  }
}

}  // namespace
}  // namespace fivebar_control::test
