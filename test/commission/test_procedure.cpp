// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "commission/rig.hpp"

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;
using testing::Not;

PlantParameters plant_of(const std::string & yaml)
{
  return parse_plant("schema: 1\nname: bench\n" + yaml, "plant.yaml");
}

/// A wrongly built robot, the sentences that must name what is wrong and what to change, and
/// whether only eyes or hands can see it.
struct WrongRobot
{
  const char * name;
  const char * plant;
  std::vector<std::string> said;     ///< by the commissioning
  std::vector<std::string> checked;  ///< by the unattended check with someone who turns the links
};

const std::vector<WrongRobot> & wrong_robots()
{
  static const std::vector<WrongRobot> all{
    {"motor 1 inverted",
     "wiring: {motor_1: inverted}",
     {"Motor 1 is inverted", "'joint_1: motor_reversed: true'"},
     {"Encoder 1 counts against the volts of motor 1"}},
    {"motor 4 inverted",
     "wiring: {motor_4: inverted}",
     {"Motor 4 is inverted", "'joint_4: motor_reversed: true'"},
     {"Encoder 4 counts against the volts of motor 4"}},
    {"both motors inverted",
     "wiring: {motor_1: inverted, motor_4: inverted}",
     {"Motor 1 is inverted", "Motor 4 is inverted"},
     {"Encoder 1 counts against", "Encoder 4 counts against"}},
    {"encoder 1 inverted",
     "wiring: {encoder_1: inverted}",
     {"Encoder 1 is inverted", "'joint_1: encoder_reversed: true'"},
     {"Encoder 1 is inverted", "Encoder 1 counts against the volts of motor 1"}},
    {"encoder 4 inverted",
     "wiring: {encoder_4: inverted}",
     {"Encoder 4 is inverted", "'joint_4: encoder_reversed: true'"},
     {"Encoder 4 is inverted", "Encoder 4 counts against the volts of motor 4"}},
    {"both encoders inverted",
     "wiring: {encoder_1: inverted, encoder_4: inverted}",
     {"Encoder 1 is inverted", "Encoder 4 is inverted"},
     {"Encoder 1 is inverted", "Encoder 4 is inverted"}},
    {"joint 1 mirrored",
     "wiring: {motor_1: inverted, encoder_1: inverted}",
     {"Motor 1 is inverted", "Encoder 1 is inverted"},
     {"Encoder 1 is inverted"}},
    {"motors swapped",
     "wiring: {motors: swapped}",
     {"The motors are exchanged"},
     {"Motor 1 moves encoder 4", "Motor 4 moves encoder 1"}},
    {"encoders swapped",
     "wiring: {encoders: swapped}",
     {"The encoders are exchanged"},
     {"The encoders are exchanged", "Motor 1 moves encoder 4"}},
    {"pairs exchanged",
     "wiring: {motors: swapped, encoders: swapped}",
     {"The motors are exchanged", "The encoders are exchanged"},
     {"The encoders are exchanged"}},
    {"counts x 0.5",
     "encoder: {counts_factor: 0.5}",
     {"Counts per turn: joint 1", "'joint_1: counts_per_revolution: 2048'",
      "'joint_4: counts_per_revolution: 2048'"},
     {"'joint_1: counts_per_revolution: 2048'"}},
    {"counts x 2",
     "encoder: {counts_factor: 2}",
     {"Counts per turn: joint 1", "'joint_1: counts_per_revolution: 8192'",
      "'joint_4: counts_per_revolution: 8192'"},
     {"'joint_1: counts_per_revolution: 8192'"}},
    {"encoder 1 toggles",
     "encoder: {toggle: 1}",
     {"Encoder 1 toggles between two counts although link 1 moves"},
     {"encoder 1 toggles between two counts"}},
    {"encoder 4 jumps by 0.08 rad",
     "encoder: {jump: 0.08, joint: 4, at: 0.5}",
     {"encoder 4 jumped by 0.0"},
     {"encoder 4 jumped by 0.0"}}};
  return all;
}

TEST(Commissioning, AHealthyRobotPassesAndItsFiguresAreThoseOfThePlant)
{
  Rig rig(
    plant_of("scale: {link_mass: 1.2, link_inertia: 1.2, motor_damping: 1.5}\n"
             "friction: {coulomb: 0.01}\nencoder: {counts_per_turn: 4096}\ndelay_cycles: 2"));
  const commission::Record record = rig.commission();
  EXPECT_TRUE(record.is_complete()) << faults_of(record.steps);
  const Physics<double> plant = plant_physics(default_robot(), rig.board().plant().parameters());
  const DynamicsConstants<double> truth = lump(plant, default_robot().parameters().assembly_mode);
  for (const int joint : {0, 1})
  {
    const std::string name = joint == 0 ? "joint 1" : "joint 4";
    const double dead_band = value_of(record.steps, name + ", dead band");
    const double coulomb = value_of(record.steps, name + ", Coulomb");
    const double viscous = value_of(record.steps, name + ", viscous");
    const double delay = value_of(record.steps, name + ", delay");
    const double extra = truth.damping[joint] - default_robot().constants().damping[joint];
    EXPECT_NEAR(dead_band, 0.01 / truth.torque_gain[joint], 0.03);  // V
    EXPECT_NEAR(coulomb, 0.01, 0.001);                              // N m
    EXPECT_NEAR(viscous, extra, 0.002);  // N m s/rad; the motor's own is 0.093
    EXPECT_NEAR(delay, 2e-3, 0.3e-3);    // s
    std::cout << name << ": dead band " << dead_band << " V (" << 0.01 / truth.torque_gain[joint]
              << "), Coulomb " << coulomb << " N m (0.01), viscous " << viscous << " N m s/rad ("
              << extra << "), delay " << 1e3 * delay << " ms (2)\n";
  }
  EXPECT_LE(rig.board().truth().volts, commission::MotionLimits{}.volts);
  EXPECT_FALSE(rig.board().truth().into_singularity);
  std::cout << "peak true speed " << rig.board().truth().speed << " rad/s, excursion "
            << rig.board().peak_excursion() << " rad, " << rig.board().truth().volts << " V\n";
}

TEST(Commissioning, EveryWrongRobotFailsWithASentenceThatNamesTheFaultAndWhatToChange)
{
  for (const WrongRobot & wrong : wrong_robots())
  {
    SCOPED_TRACE(wrong.name);
    Rig rig(plant_of(wrong.plant));
    const commission::Record record = rig.commission();
    EXPECT_FALSE(record.is_complete());
    const std::string said = faults_of(record.steps);
    for (const std::string & sentence : wrong.said)
    {
      EXPECT_THAT(said, HasSubstr(sentence));
    }
    const TruePeaks & truth = rig.board().truth();
    EXPECT_LE(truth.speed, 2.5);                   // rad/s
    EXPECT_LE(rig.board().peak_excursion(), 0.3);  // rad
    EXPECT_LE(truth.volts, 1.5);
    EXPECT_FALSE(truth.into_singularity);
    std::cout << wrong.name << ": peak true speed " << truth.speed << " rad/s, excursion "
              << rig.board().peak_excursion() << " rad, " << truth.volts << " V\n"
              << said;
  }
}

TEST(Commissioning, TheUnattendedCheckFindsEveryWrongRobotOnceTheLinksAreTurned)
{
  EXPECT_TRUE(all_passed(Rig(plant_of("friction: {coulomb: 0.01}")).check()));
  for (const WrongRobot & wrong : wrong_robots())
  {
    SCOPED_TRACE(wrong.name);
    Rig rig(plant_of(wrong.plant));
    const std::vector<commission::StepResult> results = rig.check();
    EXPECT_FALSE(all_passed(results));
    const std::string said = faults_of(results);
    for (const std::string & sentence : wrong.checked)
    {
      EXPECT_THAT(said, HasSubstr(sentence));
    }
    EXPECT_LE(rig.board().truth().speed, 2.5);
    EXPECT_LE(rig.board().peak_excursion(), 0.45);  // of which a hand turned up to 0.15 rad
    EXPECT_FALSE(rig.board().truth().into_singularity);
    std::cout << wrong.name << ": peak true speed " << rig.board().truth().speed
              << " rad/s, excursion " << rig.board().peak_excursion() << " rad\n";
  }
}

TEST(Commissioning, AnInterruptIsZeroVoltsInTheSameCycleWhereverItComes)
{
  for (int cycles = 0; cycles < 4000; cycles += 97)
  {
    Rig rig(plant_of("friction: {coulomb: 0.01}"));
    int asked = 0;
    commission::Bench bench = rig.bench([&] { return ++asked > cycles; });
    const commission::StepResult result = run_step(bench, *commission::find_step("response_1"));
    if (result.end == commission::StepEnd::passed)
    {
      EXPECT_GT(cycles, 1900);  // it was over before
      continue;
    }
    EXPECT_EQ(result.end, commission::StepEnd::interrupted);
    rig.board().let_time_pass(1e-3);
    EXPECT_EQ(rig.board().plant().motor_volts(), Eigen::Vector2d(0, 0)) << cycles;
    MotorSample sample;
    rig.hardware().read(sample);
    EXPECT_EQ(sample.status & motor_status::armed, 0U);
  }
}

TEST(Commissioning, TheSameRobotGivesTheSameRecordToTheLastDigit)
{
  const auto once = [] {
    return to_text(Rig(plant_of("friction: {coulomb: 0.02}\ndelay_cycles: 1")).commission());
  };
  EXPECT_EQ(once(), once());
}

TEST(Commissioning, AStickyGearIsMovedWithMoreVoltsAndItsFrictionMeasured)
{
  Rig rig(plant_of("friction: {coulomb: 0.05, viscous: 0.01}"));  // 0.35 V
  const commission::Record record = rig.commission();
  EXPECT_TRUE(record.is_complete()) << faults_of(record.steps);
  EXPECT_NEAR(value_of(record.steps, "joint 1, Coulomb"), 0.05, 0.003);
  EXPECT_NEAR(value_of(record.steps, "joint 1, viscous"), 0.01, 0.005);
  EXPECT_NEAR(value_of(record.steps, "joint 4, dead band"), 0.35, 0.03);
}

TEST(Commissioning, AJointThatDoesNotMoveIsNamed)
{
  Rig rig(plant_of("friction: {coulomb: 1.0}"));
  const commission::Record record = rig.commission();
  EXPECT_THAT(
    faults_of(record.steps),
    HasSubstr("direction_1: Motor 1 moves nothing at the largest voltage"));
}

TEST(Commissioning, ADeadBandThatTheCalibrationOvercompensatesFails)
{
  Calibration calibration = Rig::named("eager");
  calibration.joints[0].dead_band = 0.5;
  Rig rig(plant_of("friction: {coulomb: 0.01}"), default_robot(), calibration);
  EXPECT_THAT(
    faults_of(rig.commission().steps),
    HasSubstr("compensates 0.50 V of dead band where joint 1 has 0.0"));
}

TEST(Commissioning, EndStopsMustLieOutsideTheLimitsOfTheSoftware)
{
  const char * stops =
    "end_stops: {phi1: [-0.3, 0.35], phi4: [1.25, 1.9]}\nfriction: {coulomb: 0.01}";
  Rig wide(plant_of(stops));
  EXPECT_THAT(
    faults_of(wide.commission().steps),
    HasSubstr("The software lets joint 1 go to +2.300 rad, but its ccw stop is at +0.35"));

  RobotParameters parameters = default_robot().parameters();
  parameters.limits.joint_minimum = {-0.25, 1.3};
  parameters.limits.joint_maximum = {0.3, 1.85};
  const RobotModel narrow_robot(parameters);
  Rig narrow(plant_of(stops), narrow_robot);
  const commission::Record record = narrow.commission();
  EXPECT_TRUE(record.is_complete()) << faults_of(record.steps);
}

TEST(Commissioning, ACheckWithoutAnyoneWhoTurnsTheLinksCannotSeeAMirroredJoint)
{
  // Which is why check-hardware then demands the stamp of a commissioning.
  Rig rig(plant_of("wiring: {motor_1: inverted, encoder_1: inverted}"));
  EXPECT_TRUE(all_passed(rig.check(false)));
}

}  // namespace
}  // namespace fivebar_control::test
