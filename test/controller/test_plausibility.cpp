// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "controller/rig.hpp"

// The guards that compare the motion with the model, and that look at the volts: what they must
// see, and what they must not mistake for a fault. Figures of every fault on every plant are in the
// fault table (test/daemon/test_fault_table.cpp).

namespace fivebar_control::test
{
namespace
{

PlantParameters plant_with(const std::string & keys)
{
  return parse_plant("schema: 1\n" + keys, "plant.yaml");
}

/// Plays until a fault or the end; what was found.
Finding play_out(Rig & rig)
{
  rig.step(ControlCommand::start);
  while (rig.core.state() != ControlState::idle && rig.core.state() != ControlState::fault)
  {
    rig.step();
  }
  EXPECT_EQ(rig.step().volts, Eigen::Vector2d(0.0, 0.0));
  return rig.core.fault();
}

Finding play_on(
  const std::string & plant, const ControllerSettings & settings = default_settings(),
  const RobotModel & robot = default_robot())
{
  Rig rig(robot, gentle_plan(), settings, ControlMode::feedforward_and_feedback, plant_with(plant));
  return play_out(rig);
}

TEST(Plausibility, SeesAMotorThatTurnsTheWrongWay)
{
  const Finding finding = play_on("wiring: {motor_4: inverted}");
  EXPECT_EQ(finding.reason, Reason::implausible_motion);
  EXPECT_EQ(finding.joint, 1);
  EXPECT_GT(std::abs(finding.value), finding.limit);
}

TEST(Plausibility, SeesAnEncoderThatToggles)
{
  const Finding finding = play_on("encoder: {toggle: 1, at: 0.5}");
  EXPECT_EQ(finding.reason, Reason::implausible_motion);
  EXPECT_EQ(finding.joint, 0);
}

TEST(Plausibility, SeesWrongCountsEitherWay)
{
  const Finding half = play_on("encoder: {counts_factor: 0.5}");
  EXPECT_EQ(half.reason, Reason::implausible_scale);
  EXPECT_LT(half.value, 0.7) << "half of the motion";
  const Finding twice = play_on("encoder: {counts_factor: 2}");
  EXPECT_EQ(twice.reason, Reason::implausible_scale);
  EXPECT_GT(twice.value, 1.5) << "twice the motion";
}

TEST(Plausibility, SeesALostBeltAndAJumpThatIsSlowerThanTheSpeedLimitOfJumps)
{
  EXPECT_EQ(play_on("belt: {lost: 1, at: 1.0}").reason, Reason::implausible_motion);
  const Finding jump = play_on("encoder: {jump: 0.08, joint: 4, at: 1.0}");
  EXPECT_EQ(jump.reason, Reason::encoder_jump);
  EXPECT_EQ(jump.joint, 1);
  EXPECT_NEAR(jump.value, 0.08, 0.005);
}

TEST(Plausibility, DoesNotSeeWhatIsSwitchedOff)
{
  EXPECT_EQ(
    play_on("wiring: {motor_4: inverted}", settings_without_model()).reason,
    Reason::following_error);
}

TEST(Plausibility, AllowsARobotThatIsFarFromItsModel)
{
  for (const char * plant :
       {"scale: {link_mass: 1.5, link_inertia: 1.5}", "scale: {link_mass: 0.5, link_inertia: 0.5}",
        "scale: {torque_constant: 0.8}", "scale: {resistance: 1.2}", "friction: {viscous: 0.02}",
        "friction: {coulomb: 0.03}", "encoder: {noise: 2.0e-3}", "delay_cycles: 2"})
  {
    EXPECT_EQ(play_on(plant).reason, Reason::none) << plant;
  }
}

TEST(Plausibility, HoldingAgainstGravityIsNeitherAFrozenEncoderNorAnOverload)
{
  RobotParameters parameters = default_robot().parameters();
  parameters.physics.gravity = {0.0, -9.81};
  for (Link<double> & link : parameters.physics.links)
  {
    link.mass = 0.11;
  }
  const RobotModel robot(parameters);
  // Stands still at home for two seconds, held by the feedback and the volts of the plan.
  PlanSamples still = beginning_of(gentle_plan(), 401);
  const Eigen::Vector2d home = parameters.home;
  const Eigen::Vector2d volts = inverse_dynamics<double>(
    robot.constants(), Eigen::Vector4d(home[0], home[1], 0.0, 0.0), Eigen::Vector2d::Zero());
  EXPECT_GT(volts.cwiseAbs().maxCoeff(), 1.5) << "or the test shows nothing";
  for (std::size_t i = 0; i < still.t.size(); ++i)
  {
    still.phi1[i] = home[0];
    still.phi4[i] = home[1];
    still.dphi1[i] = still.dphi4[i] = 0.0;
    still.u1[i] = volts[0];
    still.u4[i] = volts[1];
  }
  const ControllerSettings settings = default_settings();
  for (const ControlMode mode : {ControlMode::feedforward_and_feedback, ControlMode::feedback_only})
  {
    Rig rig(robot, still, settings, mode);
    rig.step(ControlCommand::start);
    rig.steps_while(ControlState::playing);
    rig.steps_while(ControlState::holding);
    rig.steps_while(ControlState::relaxing);
    EXPECT_EQ(rig.core.state(), ControlState::idle) << describe(rig.core.fault());
  }
}

TEST(OutputGuard, SeesGainsThatAreAHundredTimesTooHigh)
{
  ControllerSettings settings = default_settings();
  settings.gains.kp *= 100.0;
  settings.gains.kd *= 100.0;
  const Finding finding = play_on("", settings);
  EXPECT_TRUE(finding.reason == Reason::chatter || finding.reason == Reason::implausible_motion)
    << describe(finding);
  settings.guard.switch_off(Reason::implausible_motion);
  settings.guard.switch_off(Reason::implausible_scale);
  EXPECT_EQ(play_on("", settings).reason, Reason::chatter);
}

TEST(OutputGuard, SeesVoltsThatAreCutForTooLong)
{
  ControllerSettings settings = settings_without_model();
  settings.guard.switch_off(Reason::following_error);
  settings.guard.switch_off(Reason::encoder_frozen);
  const RobotModel robot = robot_with([](Limits & limits) { limits.voltage = 0.3; });
  const Finding finding = play_on("", settings, robot);
  EXPECT_EQ(finding.reason, Reason::saturation) << describe(finding);
  EXPECT_NEAR(finding.value, settings.guard.saturation_window, 2e-3);
}

TEST(OutputGuard, SeesAMotorThatIsHeatedByItsCurrentAndRemembersTheHeat)
{
  ControllerSettings settings = settings_without_model();
  settings.guard.switch_off(Reason::following_error);
  settings.guard.switch_off(Reason::encoder_frozen);
  settings.guard.motor_current = 0.2;
  settings.guard.heating_time = 1.0;
  // Blocked between two stops, it gets current that turns nothing.
  const char * blocked = "end_stops: {phi1: [-0.001, 0.001], phi4: [1.5698, 1.5718]}";
  Rig rig(
    default_robot(), gentle_plan(), settings, ControlMode::feedforward_and_feedback,
    plant_with(blocked));
  EXPECT_EQ(play_out(rig).reason, Reason::motor_overload);
  const std::int64_t first = rig.time_ns;
  rig.step(ControlCommand::reset);
  EXPECT_EQ(play_out(rig).reason, Reason::motor_overload);
  EXPECT_LT(rig.time_ns - first, first) << "it has not cooled down";
}

}  // namespace
}  // namespace fivebar_control::test
