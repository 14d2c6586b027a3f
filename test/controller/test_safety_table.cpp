// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "controller/rig.hpp"

// One test for each row of the safety table (docs/control.md): provoked while the plan plays, it
// must give zero volts in the same cycle and stay so until a reset.

namespace fivebar_control::test
{
namespace
{

constexpr double count = 2.0 * std::numbers::pi / 4096.0;

/// Tampers with every cycle from now on until the fault; returns the cycle in which it came, from
/// 1, and checks what holds for every fault.
int expect_fault(Rig & rig, Reason reason, const std::function<void(ControlInput &, int)> & tamper)
{
  int cycle = 0;
  ControlOutput output;
  while (rig.core.state() != ControlState::fault && cycle < 6000)
  {
    ++cycle;
    output = rig.step(ControlCommand::none, [&](ControlInput & input) { tamper(input, cycle); });
  }
  EXPECT_EQ(output.state, ControlState::fault);
  EXPECT_EQ(rig.core.fault().reason, reason) << describe(rig.core.fault());
  EXPECT_EQ(output.volts, Eigen::Vector2d(0.0, 0.0)) << "zero in the same cycle";
  const Finding latched = rig.core.fault();
  for (int k = 0; k < 200; ++k)
  {
    const ControlOutput after = rig.step(k == 100 ? ControlCommand::start : ControlCommand::none);
    EXPECT_EQ(after.volts, Eigen::Vector2d(0.0, 0.0));
    EXPECT_EQ(after.state, ControlState::fault) << "latched";
    EXPECT_EQ(after.refusal.reason, k == 100 ? Reason::not_idle : Reason::none);
  }
  EXPECT_EQ(rig.core.fault().reason, latched.reason) << "the first reason stays";
  EXPECT_TRUE(
    rig.core.fault().value == latched.value ||
    (std::isnan(rig.core.fault().value) && std::isnan(latched.value)));
  EXPECT_EQ(rig.step(ControlCommand::reset).state, ControlState::idle);
  EXPECT_EQ(rig.core.fault().reason, Reason::none);
  EXPECT_EQ(rig.step().volts, Eigen::Vector2d(0.0, 0.0));
  // Usable again, unless the robot now stands where it must not be.
  const Finding refusal = rig.step(ControlCommand::align_and_start).refusal;
  EXPECT_TRUE(!refusal || is_fault(refusal.reason)) << describe(refusal);
  return cycle;
}

TEST(SafetyTable, LateCyclesInARow)
{
  Rig rig;
  rig.play(1000);
  const int cycle = expect_fault(rig, Reason::late_cycles, [&](ControlInput & input, int) {
    rig.time_ns += millisecond;  // every cycle takes two periods
    input.time_ns = rig.time_ns;
    input.sample_time_ns = rig.time_ns;
  });
  EXPECT_EQ(cycle, default_settings().guard.late_cycles_in_a_row);
}

TEST(SafetyTable, LateCyclesNotInARowAreOnlyCounted)
{
  // The clock is told to have gone on, the simulated robot is not.
  Rig rig(default_robot(), gentle_plan(), settings_without_model());
  rig.play(1000);
  for (int k = 0; k < 400; ++k)
  {
    rig.step(ControlCommand::none, [&](ControlInput & input) {
      rig.time_ns += k % 5 == 0 ? 0 : millisecond;
      input.time_ns = rig.time_ns;
      input.sample_time_ns = rig.time_ns;
    });
  }
  EXPECT_EQ(rig.core.state(), ControlState::playing);
  EXPECT_EQ(rig.core.late_cycles(), 320);
}

TEST(SafetyTable, FollowingErrorBeyondItsBandForLongerThanItsWindow)
{
  const GuardSettings guard = default_settings().guard;
  Rig rig(default_robot(), gentle_plan(), settings_without_model());
  const Eigen::Vector2d stuck = rig.play(1400).angle;
  int outside = 0;
  // A joint that shakes by a count but does not follow.
  expect_fault(rig, Reason::following_error, [&](ControlInput & input, int cycle) {
    input.angle = stuck + Eigen::Vector2d::Constant(cycle % 2 == 0 ? count : 0.0);
    std::size_t interval = 0;
    const Reference reference = rig.plan.at(1e-3 * (1399 + cycle), interval);
    const bool astray = (reference.phi - input.angle).cwiseAbs().maxCoeff() > guard.following_band;
    outside = astray ? outside + 1 : 0;
  });
  EXPECT_EQ(outside, static_cast<int>(std::floor(1e3 * guard.following_window + 1e-9)) + 1);
}

TEST(SafetyTable, JointRange)
{
  for (const int joint : {0, 1})
  {
    const auto index = static_cast<std::size_t>(joint);
    double limit = 0.0;
    const RobotModel robot = robot_with([&](Limits & limits) {
      limit = default_robot().parameters().home[joint] + 0.15;
      limits.joint_maximum[index] = limit;
    });
    Rig rig(robot);
    ControlOutput output = rig.step(ControlCommand::start);
    while (output.state == ControlState::playing && output.angle[joint] <= limit)
    {
      output = rig.step();
    }
    EXPECT_EQ(output.state, ControlState::fault) << "in the cycle in which the limit is passed";
    EXPECT_EQ(output.volts.norm(), 0.0);
    EXPECT_EQ(rig.core.fault().reason, Reason::joint_range);
    EXPECT_EQ(rig.core.fault().joint, joint);
    EXPECT_EQ(rig.core.fault().limit, limit);
  }
}

TEST(SafetyTable, JointRangeIsLatched)
{
  const RobotModel robot = robot_with([](Limits & limits) { limits.joint_maximum[0] = 0.15; });
  Rig rig(robot);
  rig.play(10);
  expect_fault(rig, Reason::joint_range, [](ControlInput &, int) {});
}

TEST(SafetyTable, JointSpeed)
{
  const RobotModel robot = robot_with([](Limits & limits) { limits.joint_speed = 0.8; });
  Rig rig(robot);
  rig.play(10);
  expect_fault(rig, Reason::joint_speed, [](ControlInput &, int) {});
}

TEST(SafetyTable, ParallelSingularity)
{
  const RobotModel robot = robot_with([](Limits & limits) { limits.singularity_margin = 0.95; });
  Rig rig(robot);
  rig.play(10);
  expect_fault(rig, Reason::parallel_singularity, [](ControlInput &, int) {});
}

TEST(SafetyTable, LinkageThatCannotClose)
{
  // Encoders that claim a pose in which the distal links cannot meet.
  ControllerSettings settings = default_settings();
  settings.guard.jump_speed = 1e9;
  const RobotModel robot = robot_with([](Limits & limits) {
    limits.joint_speed = 1e9;
    limits.joint_minimum = {-4.0, -4.0};
    limits.joint_maximum = {4.0, 4.0};
  });
  Rig rig(robot, gentle_plan(), settings);
  rig.play(1000);
  expect_fault(rig, Reason::parallel_singularity, [](ControlInput & input, int) {
    input.angle = {std::numbers::pi, 0.0};
  });
}

TEST(SafetyTable, SerialSingularity)
{
  const RobotModel robot =
    robot_with([](Limits & limits) { limits.serial_singularity_margin = 0.95; });
  Rig rig(robot);
  rig.play(10);
  expect_fault(rig, Reason::serial_singularity, [](ControlInput &, int) {});
}

TEST(SafetyTable, EncoderFrozen)
{
  ControllerSettings settings = settings_without_model();
  settings.guard.following_band = 0.3;
  Rig rig(default_robot(), gentle_plan(), settings);
  const Eigen::Vector2d frozen = rig.play(1400).angle;
  expect_fault(
    rig, Reason::encoder_frozen, [&](ControlInput & input, int) { input.angle = frozen; });
}

TEST(SafetyTable, AnEncoderThatStandsStillWithoutVoltsIsNotFrozen)
{
  Rig rig;
  for (int k = 0; k < 1000; ++k)
  {
    EXPECT_EQ(rig.step().state, ControlState::idle);
  }
}

TEST(SafetyTable, EncoderJumping)
{
  Rig rig;
  rig.play(1000);
  const int cycle = expect_fault(
    rig, Reason::encoder_jump, [](ControlInput & input, int) { input.angle[1] += 0.2; });
  EXPECT_EQ(cycle, 1);
}

TEST(SafetyTable, EncoderNotFinite)
{
  for (const double value :
       {std::nan(""), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()})
  {
    Rig rig;
    rig.play(1000);
    const int cycle = expect_fault(
      rig, Reason::encoder_not_finite, [&](ControlInput & input, int) { input.angle[0] = value; });
    EXPECT_EQ(cycle, 1);
  }
}

TEST(SafetyTable, ReadFailsTooOftenInARow)
{
  Rig rig;
  rig.play(1000);
  const int cycle = expect_fault(
    rig, Reason::read_failed, [](ControlInput & input, int) { input.read_good = false; });
  EXPECT_EQ(cycle, default_settings().guard.failures_in_a_row);
}

TEST(SafetyTable, StaleSamplesCountAsFailedReads)
{
  Rig rig;
  rig.play(1000);
  const std::int64_t last = rig.time_ns;
  const int cycle = expect_fault(
    rig, Reason::read_failed, [&](ControlInput & input, int) { input.sample_time_ns = last; });
  EXPECT_EQ(cycle, default_settings().guard.failures_in_a_row);
}

TEST(SafetyTable, WriteFailsTooOftenInARow)
{
  Rig rig;
  rig.play(1000);
  const int cycle = expect_fault(
    rig, Reason::write_failed, [](ControlInput & input, int) { input.write_good = false; });
  EXPECT_EQ(cycle, default_settings().guard.failures_in_a_row);
}

TEST(SafetyTable, FewFailuresAreRiddenOut)
{
  Rig rig;
  rig.play(1000);
  const int allowed = default_settings().guard.failures_in_a_row - 1;
  for (int k = 0; k < 500; ++k)
  {
    rig.step(ControlCommand::none, [&](ControlInput & input) {
      input.read_good = k % (allowed + 1) == 0;
      input.write_good = input.read_good;
      input.angle = input.read_good ? input.angle : Eigen::Vector2d(99.0, 99.0);
    });
  }
  EXPECT_EQ(rig.core.state(), ControlState::playing);
}

TEST(SafetyTable, DeviceReportsAFault)
{
  Rig rig;
  rig.play(1000);
  const int cycle = expect_fault(
    rig, Reason::device_fault, [](ControlInput & input, int) { input.device_good = false; });
  EXPECT_EQ(cycle, 1);
}

TEST(SafetyTable, DeviceIsDisarmedInTheMiddleOfARun)
{
  Rig rig;
  rig.play(1000);
  const int cycle = expect_fault(
    rig, Reason::device_disarmed, [](ControlInput & input, int) { input.armed = false; });
  EXPECT_EQ(cycle, 1);
  EXPECT_EQ(describe({Reason::device_disarmed, -1, 0.0, 0.0}), "the motor board is not armed");
}

TEST(SafetyTable, DeviceIsDisarmedAndArmedAgainInTheMiddleOfARun)
{
  Rig rig;
  rig.play(1000);
  const int cycle = expect_fault(
    rig, Reason::device_disarmed, [](ControlInput & input, int) { input.arm_count = 1; });
  EXPECT_EQ(cycle, 1);
  EXPECT_THAT(describe({Reason::device_disarmed, -1, 1.0, 0.0}), testing::HasSubstr("armed again"));
}

TEST(SafetyTable, LinksThatAreBeingHomedAreNoFault)
{
  Rig rig;
  rig.step();
  const auto homing = [](ControlInput & input) {
    input.armed = false;
    input.angle.setConstant(std::numeric_limits<double>::quiet_NaN());
    input.sample_time_ns = 0;
  };
  for (int i = 0; i < 20; ++i)
  {
    EXPECT_EQ(rig.step(ControlCommand::none, homing).state, ControlState::idle);
  }
  EXPECT_EQ(rig.step(ControlCommand::start, homing).refusal.reason, Reason::no_measurement);
  EXPECT_EQ(rig.step(ControlCommand::none).state, ControlState::idle) << "wherever they are found";
  EXPECT_EQ(rig.step(ControlCommand::start).state, ControlState::playing);
}

TEST(SafetyTable, DeviceThatIsNotArmedIsNotDrivenButNoFaultEither)
{
  Rig rig;
  const auto disarmed = [](ControlInput & input) { input.armed = false; };
  rig.step(ControlCommand::none, disarmed);
  EXPECT_EQ(rig.step(ControlCommand::start, disarmed).refusal.reason, Reason::device_disarmed);
  EXPECT_EQ(rig.core.state(), ControlState::idle);
  // Armed again while nothing runs: a start is as good as the first.
  const auto anew = [](ControlInput & input) { input.arm_count = 7; };
  EXPECT_FALSE(rig.step(ControlCommand::start, anew).refusal);
  rig.step(ControlCommand::none, anew);
  EXPECT_EQ(rig.core.state(), ControlState::playing);
}

TEST(SafetyTable, AlignmentThatDoesNotSettle)
{
  PlantParameters plant;
  plant.start = Eigen::Vector2d(0.1, 1.5707963);
  Rig rig(
    default_robot(), gentle_plan(), settings_without_model(), ControlMode::feedforward_and_feedback,
    plant);
  const Eigen::Vector2d stuck = rig.step(ControlCommand::align_and_start).angle;
  ASSERT_EQ(rig.core.state(), ControlState::aligning);
  expect_fault(rig, Reason::alignment_timeout, [&](ControlInput & input, int cycle) {
    input.angle = stuck + Eigen::Vector2d::Constant(cycle % 2 == 0 ? count : 0.0);
  });
}

TEST(SafetyTable, LawThatGivesNoNumber)
{
  PlanSamples broken = gentle_plan();
  broken.u4[300] = std::nan("");
  Rig rig(default_robot(), broken);
  rig.play(1400);
  ASSERT_EQ(rig.core.state(), ControlState::playing);
  expect_fault(rig, Reason::output_not_finite, [](ControlInput &, int) {});
}

TEST(SafetyTable, FaultsAlsoWhileAligningHoldingStoppingAndRelaxing)
{
  const auto broken = [](ControlInput & input) { input.angle[0] = std::nan(""); };
  for (const ControlState state :
       {ControlState::idle, ControlState::aligning, ControlState::stopping, ControlState::holding,
        ControlState::relaxing})
  {
    PlantParameters plant;
    if (state == ControlState::aligning)
    {
      plant.start = Eigen::Vector2d(0.2, 1.5);
    }
    Rig rig(
      default_robot(), beginning_of(gentle_plan(), 100), default_settings(),
      ControlMode::feedforward_and_feedback, plant);
    if (state != ControlState::idle)
    {
      rig.step(ControlCommand::align_and_start);
    }
    if (state == ControlState::stopping)
    {
      rig.step(ControlCommand::stop);
    }
    for (int k = 0; k < 5000 && rig.core.state() != state; ++k)
    {
      rig.step();
    }
    ASSERT_EQ(rig.core.state(), state);
    const ControlOutput output = rig.step(ControlCommand::none, broken);
    EXPECT_EQ(output.state, ControlState::fault) << "from " << to_string(state);
    EXPECT_EQ(output.volts, Eigen::Vector2d(0.0, 0.0));
  }
}

TEST(SafetyTable, EndOfPlanHoldsThenRelaxesWithoutAJumpOfTheVolts)
{
  Rig rig(default_robot(), samples_of("b"));  // ends at full speed
  rig.play(1000);
  rig.steps_while(ControlState::playing);
  Eigen::Vector2d before = rig.step().volts;
  double largest = 0.0;
  for (;;)
  {
    const ControlOutput output = rig.step();
    largest = std::max(largest, (output.volts - before).cwiseAbs().maxCoeff());
    before = output.volts;
    if (output.state == ControlState::idle)
    {
      break;
    }
  }
  // One count of the encoder, differentiated and filtered, is 0.18 V through kd.
  EXPECT_LT(largest, 0.45);
  EXPECT_EQ(before.norm(), 0.0);
}

TEST(SafetyTable, DeviceThatHearsNothingGoesToZeroVoltsByItself)
{
  Rig rig;
  rig.play(1400);
  MotorSample sample;
  EXPECT_GT(rig.hardware.motor_volts().norm(), 0.1);
  const int cycles = static_cast<int>(PlantParameters{}.watchdog_time / 1e-3);
  for (int k = 0; k < cycles + 1; ++k)
  {
    EXPECT_EQ(sample.status & motor_status::watchdog_tripped, 0U) << "not yet, " << k;
    rig.hardware.read(sample);  // nobody writes
  }
  EXPECT_NE(sample.status & motor_status::watchdog_tripped, 0U);
  EXPECT_EQ(rig.hardware.motor_volts().norm(), 0.0);
  rig.hardware.write({5.0, 5.0});
  rig.hardware.read(sample);
  EXPECT_EQ(rig.hardware.motor_volts().norm(), 0.0) << "until it is armed again";
}

}  // namespace
}  // namespace fivebar_control::test
