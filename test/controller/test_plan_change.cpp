// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "controller/rig.hpp"
#include "fivebar_control/plan/joint_trajectory.hpp"

// One plan goes on from another one, in the middle of the motion.
namespace fivebar_control::test
{
namespace
{

using Points = std::vector<TrajectoryPoint>;

Eigen::Vector2d home() { return default_robot().parameters().home; }

PlanSamples samples_to(const JointMotion & start, double duration, const Eigen::Vector2d & goal)
{
  return plan_of_trajectory(default_robot(), {{duration, goal, {}, {}}}, start, "goal").samples;
}

JointMotion at_rest(const Eigen::Vector2d & phi)
{
  JointMotion motion;
  motion.phi = phi;
  return motion;
}

JointMotion motion_of(const PlayablePlan & plan, double time)
{
  constexpr double h = 1e-4;
  std::size_t interval = 0;
  const Eigen::Vector2d before = plan.at(std::max(0.0, time - h), interval).speed;
  const Reference here = plan.at(time, interval);
  const double later = std::min(plan.duration(), time + h);
  const Eigen::Vector2d after = plan.at(later, interval).speed;
  return {here.phi, here.speed, (after - before) / (later - std::max(0.0, time - h))};
}

class PlanChange : public testing::Test
{
protected:
  void play_until(double time)
  {
    rig.step(ControlCommand::start);
    while (rig.core.state() == ControlState::playing && rig.step().plan_time < time - 1e-9)
    {
    }
  }

  const PlanSamples there = samples_to(at_rest(home()), 0.8, home() + Eigen::Vector2d(0.3, -0.2));
  Rig rig{default_robot(), there};
};

TEST_F(PlanChange, LeavesNoJumpAndNoHaltWhereverItHappens)
{
  std::mt19937 random(7);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  const double rate_limit = default_robot().limits().voltage_rate * 1e-3;
  for (int i = 0; i < 30; ++i)
  {
    const std::int64_t at_ns = 40'000'000 + static_cast<std::int64_t>(7.1e8 * share(random));
    const double at = 1e-9 * static_cast<double>(at_ns);
    const Eigen::Vector2d goal =
      home() + Eigen::Vector2d(0.6 * share(random) - 0.3, 0.6 * share(random) - 0.3);
    Rig fresh(
      default_robot(), there, default_settings(), ControlMode::feedforward_and_feedback,
      load_plant(config_path("plants/mismatched.yaml")));
    const PlayablePlan next(samples_to(motion_of(fresh.plan, at), 0.7, goal));
    fresh.step(ControlCommand::start);
    for (int k = 1; k < 15; ++k)
    {
      fresh.step();
    }
    ASSERT_TRUE(fresh.core.go_on_with(&next, nullptr, at_ns)) << i;
    ControlOutput before = fresh.step();
    while (fresh.core.state() == ControlState::playing)
    {
      const ControlOutput now = fresh.step();
      ASSERT_NE(now.state, ControlState::fault) << describe(fresh.core.fault());
      const Eigen::Vector2d step = now.reference.phi - before.reference.phi;
      const Eigen::Vector2d mean = 0.5e-3 * (now.reference.speed + before.reference.speed);
      ASSERT_LT((step - mean).cwiseAbs().maxCoeff(), 2e-6) << "the reference jumped, " << i;
      // A period of a jerk that the motors can follow; a restart from rest would show volts.
      ASSERT_LT(
        (now.reference.feedforward - before.reference.feedforward).cwiseAbs().maxCoeff(), 0.15)
        << i;
      ASSERT_LT((now.volts - before.volts).cwiseAbs().maxCoeff(), rate_limit);
      before = now;
    }
    EXPECT_EQ(fresh.core.plan(), &next);
    EXPECT_LT((before.reference.phi - goal).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_LT((before.angle - goal).cwiseAbs().maxCoeff(), 0.02);
    const double all = 1e-9 * static_cast<double>(fresh.time_ns);
    EXPECT_NEAR(all, at + next.duration(), 0.01) << "there was a halt, " << i;
  }
}

TEST_F(PlanChange, HappensWhileTheEndIsHeldAsWell)
{
  const Eigen::Vector2d end = home() + Eigen::Vector2d(0.3, -0.2);
  const PlayablePlan back(samples_to(at_rest(end), 0.5, home()));
  play_until(0.4);
  ASSERT_TRUE(rig.core.go_on_with(&back, nullptr, 2'000'000'000)) << "before the end";
  rig.steps_while(ControlState::playing);
  EXPECT_EQ(rig.core.state(), ControlState::holding);
  EXPECT_EQ(rig.step().state, ControlState::playing);
  rig.steps_while(ControlState::playing);
  EXPECT_EQ(rig.core.plan(), &back);
  const PlayablePlan again(samples_to(at_rest(home()), 0.5, end));
  rig.steps_while(ControlState::holding, 300);
  ASSERT_TRUE(rig.core.go_on_with(&again, nullptr, 0)) << "while it is held";
  EXPECT_EQ(rig.step().state, ControlState::playing);
  rig.steps_while(ControlState::playing);
  EXPECT_LT((rig.step().angle - end).cwiseAbs().maxCoeff(), 0.01);
}

TEST_F(PlanChange, IsRefusedIfTheOtherBeginsElsewhere)
{
  play_until(0.3);
  JointMotion motion = motion_of(rig.plan, 0.35);
  const PlayablePlan good(samples_to(motion, 0.6, home()));
  motion.phi[0] += 1e-4;
  const PlayablePlan displaced(samples_to(motion, 0.6, home()));
  motion.phi[0] -= 1e-4;
  motion.speed[1] += 0.01;
  const PlayablePlan faster(samples_to(motion, 0.6, home()));
  EXPECT_FALSE(rig.core.go_on_with(&displaced, nullptr, 350'000'000));
  EXPECT_FALSE(rig.core.go_on_with(&faster, nullptr, 350'000'000));
  EXPECT_FALSE(rig.core.go_on_with(&good, nullptr, 250'000'000)) << "that moment is over";
  EXPECT_TRUE(rig.core.go_on_with(&good, nullptr, 350'000'000));
  EXPECT_FALSE(rig.core.go_on_with(&good, nullptr, 350'000'000)) << "one at a time";
}

TEST_F(PlanChange, IsRefusedWhereNothingIsPlayed)
{
  const PlayablePlan plan(samples_to(at_rest(home()), 0.6, home() + Eigen::Vector2d(0.1, 0.1)));
  EXPECT_FALSE(rig.core.go_on_with(&plan, nullptr, 1'000'000)) << "idle";
  play_until(0.3);
  rig.step(ControlCommand::stop);
  const PlayablePlan late(samples_to(motion_of(rig.plan, 0.5), 0.6, home()));
  EXPECT_FALSE(rig.core.go_on_with(&late, nullptr, 500'000'000)) << "stopping";
}

TEST_F(PlanChange, IsForgottenWhenTheRobotIsStopped)
{
  play_until(0.3);
  const PlayablePlan next(samples_to(motion_of(rig.plan, 0.4), 0.6, home()));
  ASSERT_TRUE(rig.core.go_on_with(&next, nullptr, 400'000'000));
  rig.step(ControlCommand::stop);
  rig.steps_while(ControlState::stopping);
  rig.steps_while(ControlState::holding);
  rig.steps_while(ControlState::relaxing);
  EXPECT_EQ(rig.core.state(), ControlState::idle);
  EXPECT_EQ(rig.core.plan(), &rig.plan);
}

TEST_F(PlanChange, NeedsTheGainsThatTheSettingsNeed)
{
  ControllerSettings settings = default_settings();
  settings.gains.method = FeedbackMethod::tvlqr;
  settings.velocity.method = VelocityMethod::kalman;
  Rig along(default_robot(), there, settings);
  along.play(200);
  const PlayablePlan next(samples_to(motion_of(along.plan, 0.4), 0.6, home()));
  EXPECT_FALSE(along.core.go_on_with(&next, nullptr, 400'000'000));
  const auto gains = loop_gains_for(default_robot(), settings, next, 1e-3);
  ASSERT_TRUE(along.core.go_on_with(&next, &*gains, 400'000'000));
  along.steps_while(ControlState::playing);
  EXPECT_EQ(along.core.state(), ControlState::holding) << describe(along.core.fault());
  EXPECT_LT((along.step().angle - home()).cwiseAbs().maxCoeff(), 0.01);
}

}  // namespace
}  // namespace fivebar_control::test
