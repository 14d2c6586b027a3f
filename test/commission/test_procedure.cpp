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

}  // namespace
}  // namespace fivebar_control::test
