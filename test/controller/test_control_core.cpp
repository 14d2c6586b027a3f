// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "controller/rig.hpp"

namespace fivebar_control::test
{
namespace
{

PlantParameters standing_at(double phi1, double phi4)
{
  PlantParameters plant;
  plant.start = Eigen::Vector2d(phi1, phi4);
  return plant;
}

TEST(ControlCore, PlaysHoldsRelaxesAndIsIdleAgain)
{
  Rig rig;
  EXPECT_EQ(rig.step(ControlCommand::start).state, ControlState::playing);
  const double duration = gentle_plan().t.back();
  EXPECT_NEAR(1e-3 * rig.steps_while(ControlState::playing), duration, 2e-3);
  EXPECT_EQ(rig.core.state(), ControlState::holding);
  const EndSettings end = default_settings().end;
  EXPECT_NEAR(1e-3 * rig.steps_while(ControlState::holding), end.settle_time + end.hold_time, 2e-3);
  EXPECT_EQ(rig.core.state(), ControlState::relaxing);
  EXPECT_NEAR(1e-3 * rig.steps_while(ControlState::relaxing), end.relax_time, 2e-3);
  EXPECT_EQ(rig.core.state(), ControlState::idle);
  EXPECT_EQ(rig.step().volts.norm(), 0.0);
}

TEST(ControlCore, APlanThatEndsAtSpeedComesToRestWithinTheFollowingBand)
{
  // 20 rad/s on a circle, from which the reference comes to rest in 0.2 s: with the model's volts
  // the feedback has little to do.
  const char * circle =
    "schema: 1\nname: circle\ncurve: {type: circle, center: [0.127, 0.127], radius: 0.03, "
    "start_angle: 0.0, turns: 2, duration: 0.63}\nramp: {in: 0.5, out: 0.0}\n"
    "cost: {alpha: 0.05, beta: 1.0, rho: 1.0e-9}\n";
  const PlanSamples samples =
    make_plan(default_robot(), parse_plan_request(circle, "circle")).plan.samples;
  EXPECT_GT(std::abs(samples.dphi1.back()), 3.0) << "or the test shows nothing";
  for (const char * plant : {"perfect", "mismatched", "noisy"})
  {
    Rig rig(
      default_robot(), samples, default_settings(), ControlMode::feedforward_and_feedback,
      load_plant(config_path(std::string("plants/") + plant + ".yaml")));
    rig.step(ControlCommand::start);
    rig.steps_while(ControlState::playing);
    double largest = 0.0;
    while (rig.core.state() == ControlState::holding)
    {
      const ControlOutput output = rig.step();
      largest = std::max(largest, (output.reference.phi - output.angle).cwiseAbs().maxCoeff());
    }
    EXPECT_EQ(rig.core.state(), ControlState::relaxing) << describe(rig.core.fault());
    EXPECT_LT(largest, 0.06) << plant;
  }
}

TEST(ControlCore, SumsFeedforwardAndFeedbackInTheModeThatAsksForBoth)
{
  for (const ControlMode mode :
       {ControlMode::feedforward_and_feedback, ControlMode::feedback_only,
        ControlMode::feedforward_only})
  {
    Rig rig(default_robot(), gentle_plan(), default_settings(), mode);
    rig.play(1500);
    const ControlOutput output = rig.step();
    Eigen::Vector2d expected = Eigen::Vector2d::Zero();
    if (mode != ControlMode::feedback_only)
    {
      expected += output.reference.feedforward;
    }
    if (mode != ControlMode::feedforward_only)
    {
      expected += 22.7 * (output.reference.phi - output.angle) +
                  0.43 * (output.reference.speed - output.speed);
      EXPECT_GT(output.feedback.norm(), 0.0);
    }
    EXPECT_NEAR((output.volts - expected).norm(), 0.0, 1e-12) << to_string(mode);
    EXPECT_GT(output.volts.norm(), 0.1) << "the plan is not at a moment without volts";
  }
}

TEST(ControlCore, StopsSmoothlyWhenAsked)
{
  const EndSettings end = default_settings().end;
  PlantParameters fine_encoder;  // a coarse one keeps the links trembling by a count while held
  fine_encoder.counts_per_turn = 1e6;
  Rig rig(
    default_robot(), gentle_plan(), default_settings(), ControlMode::feedforward_and_feedback,
    fine_encoder);
  const double asked_at = rig.play(2000).plan_time;
  EXPECT_EQ(rig.step(ControlCommand::stop).state, ControlState::stopping);
  EXPECT_NEAR(1e-3 * rig.steps_while(ControlState::stopping), end.stop_time, 2e-3);
  // The plan's time slows down evenly from full rate to rest: half the distance.
  EXPECT_NEAR(rig.step().plan_time, asked_at + 0.5 * end.stop_time, 3e-3);
  rig.steps_while(ControlState::holding);
  EXPECT_LT(rig.hardware.state().tail<2>().norm(), 1e-3) << "at rest";
  rig.steps_while(ControlState::relaxing);
  EXPECT_EQ(rig.core.state(), ControlState::idle);
  EXPECT_EQ(rig.step().volts.norm(), 0.0);
}

TEST(ControlCore, ReferenceNeverJumpsFromStartToIdle)
{
  // With a stop in the middle and without.
  for (const int stop_at : {-1, 2000})
  {
    Rig rig(default_robot(), samples_of("b"));  // ends with speed
    ControlOutput before = rig.step(ControlCommand::start);
    for (int k = 1; k < 8000; ++k)
    {
      const ControlOutput output =
        rig.step(k == stop_at ? ControlCommand::stop : ControlCommand::none);
      if (output.state == ControlState::idle)
      {
        break;
      }
      ASSERT_LT((output.reference.phi - before.reference.phi).norm(), 5e-3) << "cycle " << k;
      before = output;
    }
    EXPECT_EQ(rig.core.state(), ControlState::idle);
  }
}

TEST(ControlCore, AbortsWithZeroVoltsInTheSameCycle)
{
  Rig rig;
  EXPECT_GT(rig.play(1500).volts.norm(), 0.1);
  const ControlOutput output = rig.step(ControlCommand::abort);
  EXPECT_EQ(output.state, ControlState::idle);
  EXPECT_EQ(output.volts.norm(), 0.0);
}

TEST(ControlCore, RefusesToStartAwayFromThePlansStart)
{
  Rig rig(
    default_robot(), gentle_plan(), default_settings(), ControlMode::feedforward_and_feedback,
    standing_at(0.2, 1.5));
  const ControlOutput output = rig.step(ControlCommand::start);
  EXPECT_EQ(output.state, ControlState::idle);
  EXPECT_EQ(output.refusal.reason, Reason::not_at_start);
  EXPECT_EQ(output.refusal.joint, 0);
  EXPECT_NEAR(output.refusal.value, 0.2, 2e-3);
  EXPECT_EQ(output.refusal.limit, default_settings().start.tolerance);
  EXPECT_EQ(output.volts.norm(), 0.0);
}

TEST(ControlCore, AlignsFirstIfAskedAndThenPlays)
{
  for (const ControlMode mode :
       {ControlMode::feedforward_and_feedback, ControlMode::feedforward_only})
  {
    Rig rig(default_robot(), gentle_plan(), default_settings(), mode, standing_at(0.2, 1.4));
    EXPECT_EQ(rig.step(ControlCommand::align_and_start).state, ControlState::aligning);
    // 0.2 rad at a peak of 1 rad/s: 1.875 * 0.2 / 1.0 s, then 0.05 s of settling.
    EXPECT_NEAR(1e-3 * rig.steps_while(ControlState::aligning), 0.425, 0.1);
    EXPECT_EQ(rig.core.state(), ControlState::playing);
    EXPECT_LT((rig.hardware.state().head<2>() - rig.plan.start()).norm(), 0.02);
  }
}

TEST(ControlCore, RefusesToAlignThroughASingularity)
{
  const RobotModel robot = default_robot();
  const Guard guard(robot, default_settings().guard);
  const Eigen::Vector2d start = PlayablePlan(gentle_plan()).start();
  const auto is_good = [&](const Eigen::Vector2d & angle) {
    return !guard.check_motion(angle, guard.pose(angle), Eigen::Vector2d::Zero());
  };
  int tried = 0;
  for (double phi1 = -1.2; phi1 < 2.2; phi1 += 0.1)
  {
    for (double phi4 = 0.1; phi4 < 3.4; phi4 += 0.1)
    {
      const Eigen::Vector2d from(phi1, phi4);
      if (is_good(from) && !is_good(0.5 * (from + start)))
      {
        PlantParameters plant;
        plant.start = from;
        Rig rig(
          robot, gentle_plan(), default_settings(), ControlMode::feedforward_and_feedback, plant);
        const ControlOutput output = rig.step(ControlCommand::align_and_start);
        EXPECT_TRUE(
          output.refusal.reason == Reason::parallel_singularity ||
          output.refusal.reason == Reason::serial_singularity)
          << describe(output.refusal);
        EXPECT_EQ(output.state, ControlState::idle);
        EXPECT_EQ(output.volts.norm(), 0.0);
        ++tried;
      }
    }
  }
  EXPECT_GT(tried, 0) << "there are such poses";
}

TEST(ControlCore, StopsSmoothlyWhileAligning)
{
  Rig rig(
    default_robot(), gentle_plan(), default_settings(), ControlMode::feedforward_only,
    standing_at(0.3, 1.4));
  rig.step(ControlCommand::align_and_start);
  for (int k = 0; k < 200; ++k)
  {
    rig.step();
  }
  const Eigen::Vector2d there = rig.hardware.state().head<2>();
  rig.step(ControlCommand::stop);
  EXPECT_GT(rig.steps_while(ControlState::stopping), 100);
  rig.steps_while(ControlState::holding);
  rig.steps_while(ControlState::relaxing);
  EXPECT_EQ(rig.core.state(), ControlState::idle);
  EXPECT_LT((rig.hardware.state().head<2>() - there).norm(), 0.2);
}

TEST(ControlCore, RefusesWithoutPlanWithoutMeasurementAndWhileRunning)
{
  Rig rig;
  rig.core.set_plan(nullptr);
  EXPECT_EQ(rig.step(ControlCommand::start).refusal.reason, Reason::no_plan);
  rig.core.set_plan(&rig.plan);
  const auto unread = [](ControlInput & input) { input.read_good = false; };
  EXPECT_EQ(rig.step(ControlCommand::start, unread).refusal.reason, Reason::no_measurement);
  EXPECT_EQ(rig.step(ControlCommand::start).refusal.reason, Reason::none);
  EXPECT_EQ(rig.step(ControlCommand::start).refusal.reason, Reason::not_idle);
  EXPECT_FALSE(rig.core.set_plan(nullptr)) << "not while it is played";
  EXPECT_FALSE(rig.core.set_mode(ControlMode::feedback_only));
  EXPECT_EQ(rig.step().state, ControlState::playing);
}

TEST(ControlCore, LateCyclesAdvanceThePlanByAtMostOneAndAHalfPeriods)
{
  Rig rig;
  const double before = rig.play(1000).plan_time;
  const ControlOutput late = rig.step(ControlCommand::none, [&](ControlInput & input) {
    rig.time_ns += 3 * millisecond;
    input.time_ns = rig.time_ns;
    input.sample_time_ns = rig.time_ns;
  });
  EXPECT_TRUE(late.late);
  EXPECT_NEAR(late.plan_time - before, 1.5e-3, 1e-12);
  EXPECT_EQ(rig.core.late_cycles(), 1);
  EXPECT_EQ(late.state, ControlState::playing) << "one late cycle is no fault";
  EXPECT_NEAR(rig.step().plan_time - late.plan_time, 1e-3, 1e-12);
}

TEST(ControlCore, JitterOfTheWakeUpDoesNotReachTheVolts)
{
  Rig steady;
  Rig jittering;
  steady.step(ControlCommand::start);
  jittering.step(ControlCommand::start);
  RandomStates random(default_robot(), 5);
  for (int k = 0; k < 3000; ++k)
  {
    const auto jitter = static_cast<std::int64_t>(random.uniform(-2e5, 2e5));
    const ControlOutput a = steady.step();
    const ControlOutput b = jittering.step(ControlCommand::none, [&](ControlInput & input) {
      input.time_ns += jitter;
      input.sample_time_ns += jitter;
    });
    ASSERT_EQ(a.volts, b.volts) << "to the last bit, cycle " << k;
  }
}

TEST(ControlCore, HoldsWhereItIsAfterOpenLoop)
{
  PlantParameters plant = load_plant(config_path("plants/mismatched.yaml"));
  Rig rig(default_robot(), gentle_plan(), default_settings(), ControlMode::feedforward_only, plant);
  rig.step(ControlCommand::start);
  rig.steps_while(ControlState::playing);
  ASSERT_EQ(rig.core.state(), ControlState::holding);
  const Eigen::Vector2d there = rig.hardware.state().head<2>();
  EXPECT_LT(rig.step().volts.norm(), 1.0) << "no jump towards the planned end";
  rig.steps_while(ControlState::holding);
  EXPECT_LT((rig.hardware.state().head<2>() - there).norm(), 0.02);
}

TEST(ControlCore, AFaultIsSeenEvenIfAResetComesInItsCycle)
{
  Rig rig;
  rig.play(100);
  const ControlOutput output =
    rig.step(ControlCommand::reset, [](ControlInput & input) { input.device_good = false; });
  EXPECT_EQ(output.state, ControlState::fault);
  EXPECT_EQ(rig.core.fault().reason, Reason::device_fault);
  EXPECT_EQ(rig.step(ControlCommand::reset).state, ControlState::idle);
}

TEST(ControlCore, RelaxesUntilTheSlewLimitHasBroughtTheVoltsToZero)
{
  const double rate = 2.0;  // V/s: 2 V take a second, the relaxing only 0.3 s
  Rig rig(
    robot_with([&](Limits & limits) { limits.voltage_rate = rate; }), gentle_plan(),
    settings_without_model());
  rig.play(1);
  // Held against a spring that the plan does not know.
  const auto pushed = [](ControlInput & input) { input.angle[0] -= 0.09; };
  ControlOutput before;
  ControlOutput output = rig.step(ControlCommand::stop, pushed);
  for (int cycle = 0; cycle < 10000 && output.state != ControlState::idle; ++cycle)
  {
    before = output;
    output = rig.step(ControlCommand::none, pushed);
    ASSERT_NE(output.state, ControlState::fault) << describe(rig.core.fault());
    ASSERT_LE((output.volts - before.volts).cwiseAbs().maxCoeff(), rate * 1e-3 + 1e-12);
  }
  EXPECT_EQ(output.state, ControlState::idle);
}

TEST(ControlCore, CyclesInABurstDoNotRaiseTheSlewRate)
{
  const double rate = 50.0;
  Rig rig(robot_with([&](Limits & limits) { limits.voltage_rate = rate; }));
  rig.play(100);
  ControlOutput before = rig.step();
  for (int cycle = 0; cycle < 5; ++cycle)
  {
    const ControlOutput output = rig.step(ControlCommand::none, [&](ControlInput & input) {
      rig.time_ns -= 9 * millisecond / 10;  // a tenth of a period after the cycle before
      input.time_ns = rig.time_ns;
      input.sample_time_ns = rig.time_ns;
      input.angle[0] -= 0.002 * cycle;
    });
    EXPECT_LE((output.volts - before.volts).cwiseAbs().maxCoeff(), rate * 1e-4 + 1e-12);
    before = output;
  }
}

}  // namespace
}  // namespace fivebar_control::test
