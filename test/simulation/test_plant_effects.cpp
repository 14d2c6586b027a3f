// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "fivebar_control/model/robot_file.hpp"
#include "fivebar_control/model/robot_file_text.hpp"
#include "fivebar_control/simulation/simulated_plant.hpp"
#include "fivebar_control/support/errors.hpp"
#include "model/robots.hpp"

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;

PlantParameters plant_with(const std::string & keys)
{
  return parse_plant("schema: 1\n" + keys, "plant.yaml");
}

std::string complaint_about(const std::string & keys)
{
  try
  {
    plant_with(keys);
  }
  catch (const InputError & error)
  {
    return error.what();
  }
  return "accepted";
}

/// What both encoders show while the motors are driven to and fro.
std::vector<std::int64_t> counts_on(const PlantParameters & parameters)
{
  const RobotModel robot = default_robot();
  const Eigen::Vector2d home = robot.parameters().home;
  SimulatedPlant plant(make_equations_engine(robot, parameters), parameters, home, home);
  std::vector<std::int64_t> all;
  for (int i = 0; i < 400; ++i)
  {
    const double volts = 2.0 * std::sin(0.03 * i);
    plant.advance({volts, -0.7 * volts}, 1e-3);
    const auto counts = plant.read_counts();
    all.insert(all.end(), counts.begin(), counts.end());
  }
  return all;
}

const char * const fine = "encoder: {counts_per_turn: 1.0e+9}\n";

TEST(PlantEffects, ThatAreZeroChangeNothing)
{
  const std::string plain = std::string(fine) + "friction: {coulomb: 0.01}\n";
  const std::string zeros =
    "encoder: {counts_per_turn: 1.0e+9, eccentricity: 0.0, mounted: motor}\n"
    "friction: {coulomb: 0.01, stribeck: 0.0, stribeck_velocity: 0.1}\n"
    "drive: {gap: 0.0}\ncogging: {amplitude: 0.0, periods: 7}\n"
    "amplifier: {lag: 0.0, dead_band: 0.0}\nvariation: {friction: 0.0, supply: 0.0}\n";
  EXPECT_EQ(counts_on(plant_with(plain)), counts_on(plant_with(zeros)));
}

TEST(PlantEffects, AVeryStiffDriveMovesAsARigidOne)
{
  const auto rigid = counts_on(plant_with(fine));
  const auto stiff =
    counts_on(plant_with(std::string(fine) + "drive: {stiffness: 2.0e+4, damping: 1.0}\n"));
  for (std::size_t i = 0; i < rigid.size(); ++i)
  {
    EXPECT_NEAR(static_cast<double>(rigid[i]), static_cast<double>(stiff[i]), 1e-4 / 6.283e-9) << i;
  }
}

TEST(PlantEffects, LinksSwingOnHeldMotorsAtTheGivenFrequency)
{
  // Rotors a thousand times as heavy are as good as held.
  PlantParameters plant = plant_with(
    "scale: {rotor_inertia: 100.0, motor_damping: 0.01}\n"
    "drive: {frequency: 15.0, damping_ratio: 0.0}\n");
  const RobotModel robot = default_robot();
  const Eigen::Vector2d home = robot.parameters().home;
  const Physics<double> physics = plant_physics(robot, plant);
  const DriveDynamics dynamics(
    physics, robot.parameters().assembly_mode, plant_drives(robot, plant));
  Eigen::Vector4d at_home;
  at_home << home, 0.0, 0.0;
  DriveState x = dynamics.with_links_at(at_home);
  x[0] += 1e-4;  // one link alone: the other stays, because its motor is held
  x[1] += 0.0;
  int crossings = 0;
  double last = 0.0;
  double first = -1.0;
  for (int i = 1; i < 20000; ++i)
  {
    const double before = x[0] - x[4];
    x = dynamics.step(x, {0.0, 0.0}, 2e-5);
    if (before > 0.0 && x[0] - x[4] <= 0.0)
    {
      last = i * 2e-5;
      first = first < 0.0 ? last : first;
      ++crossings;
    }
  }
  ASSERT_GT(crossings, 3);
  // The links couple at home by m14; two modes lie near the given frequency.
  EXPECT_NEAR((crossings - 1) / (last - first), 15.0, 3.0);
}

TEST(PlantEffects, BacklashLetsTheMotorMoveAloneByItsGap)
{
  const PlantParameters parameters = plant_with(std::string(fine) + "drive: {gap: 3.0e-3}\n");
  const RobotModel robot = default_robot();
  const Eigen::Vector2d home = robot.parameters().home;
  SimulatedPlant plant(make_equations_engine(robot, parameters), parameters, home, home);
  double lowest = 0.0;
  double highest = 0.0;
  for (int i = 0; i < 1000; ++i)
  {
    plant.advance({std::sin(0.02 * i), 0.0}, 1e-3);
    const double apart = plant.engine().motor_state()[0] - plant.state()[0];
    lowest = std::min(lowest, apart);
    highest = std::max(highest, apart);
  }
  EXPECT_NEAR(highest, 1.5e-3, 3e-4) << "half of the gap and what the teeth give";
  EXPECT_NEAR(lowest, -1.5e-3, 3e-4);
}

TEST(PlantEffects, StribeckAndCoggingAreTheFormulasOfTheModel)
{
  const RobotModel robot = default_robot();
  Physics<double> physics = robot.physics();
  physics.friction[0].coulomb_velocity = 1e-3;
  Drives drives;
  drives[0].stribeck = 0.02;
  drives[0].stribeck_velocity = 0.1;
  const std::array<Cogging, 2> cogging{Cogging{0.03, 7.0, 0.2}, Cogging{}};
  const AssemblyMode mode = robot.parameters().assembly_mode;
  const DriveDynamics with(physics, mode, drives, cogging);
  const DriveDynamics without(physics, mode, {});
  Eigen::Vector4d links;
  links << robot.parameters().home, 0.05, 0.0;
  const DriveState x = with.with_links_at(links);
  const double torque =
    -0.02 * std::exp(-0.25) * std::tanh(50.0) - 0.03 * std::sin(7.0 * links[0] + 0.2);
  const double as_volts = torque / robot.constants().torque_gain[0];
  EXPECT_NEAR(
    (with.derivative(x, {0.0, 0.0}) - without.derivative(x, {as_volts, 0.0})).norm(), 0.0, 1e-9);
}

TEST(PlantEffects, AnAmplifierLagsAndSwallowsSmallVolts)
{
  Drive drive;
  drive.lag = 1e-3;
  drive.dead_band = 0.1;
  Amplifier amplifier(drive);
  EXPECT_EQ(amplifier.settled(0.1), 0.0);
  EXPECT_DOUBLE_EQ(amplifier.settled(-1.0), -0.9);
  EXPECT_DOUBLE_EQ(amplifier.settled(amplifier.asked_for(0.3)), 0.3);
  double integral = 0.0;
  for (int i = 0; i < 10; ++i)
  {
    integral += amplifier.follow(2.0, 2e-4) * 2e-4;
  }
  EXPECT_NEAR(amplifier.output(), 2.0 * (1.0 - std::exp(-2.0)), 1e-12);
  EXPECT_NEAR(integral, 2.0 * (2e-3 - 1e-3 * (1.0 - std::exp(-2.0))), 1e-15);
}

TEST(PlantEffects, AnEccentricEncoderIsRightWhereItsZeroWasSet)
{
  PlantEffects effects;
  effects.eccentricity = 2e-3;
  EXPECT_EQ(effects.encoder_error(0.7, 0.7), 0.0);
  EXPECT_NEAR(effects.encoder_error(0.5 * std::numbers::pi, 0.0), 2e-3, 1e-12);
}

TEST(PlantEffects, RunsVaryWithinTheirSharesAndRepeatWithTheirSeed)
{
  Variation variation{0.1, 0.03, 0.005, 7, 0};
  RunConditions before = conditions_of(variation);
  EXPECT_EQ(before.friction, conditions_of(variation).friction);
  for (int run = 1; run < 100; ++run)
  {
    variation.run = run;
    const RunConditions now = conditions_of(variation);
    EXPECT_LE((now.friction.array() - 1.0).abs().maxCoeff(), 0.1);
    EXPECT_LE(std::abs(now.supply - 1.0), 0.03);
    EXPECT_LE(std::abs(now.drift), 0.005);
    EXPECT_NE(now.friction, before.friction);
    before = now;
  }
  EXPECT_NE(
    counts_on(plant_with(std::string(fine) + "variation: {supply: 0.03, run: 1}\n")),
    counts_on(plant_with(std::string(fine) + "variation: {supply: 0.03, run: 2}\n")));
}

TEST(PlantEffects, WrongKeysAreRefusedInWords)
{
  EXPECT_THAT(complaint_about("drive: {stifness: 3}\n"), HasSubstr("stiffness"));
  EXPECT_THAT(complaint_about("drive: {stiffness: 3, frequency: 15}\n"), HasSubstr("not both"));
  EXPECT_THAT(complaint_about("drive: {damping: 0.1}\n"), HasSubstr("rigid drive"));
  EXPECT_THAT(complaint_about("friction: {stribeck: 0.1}\n"), HasSubstr("together"));
  EXPECT_THAT(complaint_about("encoder: {mounted: both}\n"), HasSubstr("motor"));
  EXPECT_THAT(complaint_about("amplifier: {lag: -1.0}\n"), HasSubstr("lag"));
}

TEST(RobotFileWithDrives, ComesBackAsItWasWrittenAndHasAFingerprintOfItsOwn)
{
  RobotParameters parameters = default_robot().parameters();
  parameters.drives[0].stiffness = 12.5;
  parameters.drives[0].damping = 0.01;
  parameters.drives[1].gap = 1e-3;
  parameters.drives[1].encoder_on_motor = true;
  const RobotModel robot(parameters);
  EXPECT_NE(robot.fingerprint(), default_robot().fingerprint());
  const RobotModel again = parse_robot(robot_file_text(parameters, "made by a test"), "again.yaml");
  EXPECT_EQ(again.parameters().drives, parameters.drives);
  EXPECT_EQ(again.fingerprint(), robot.fingerprint());
}

}  // namespace
}  // namespace fivebar_control::test
