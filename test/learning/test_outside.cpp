// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "fivebar_control/learning/model_check.hpp"
#include "fivebar_control/learning/rehearse.hpp"
#include "learning/lab.hpp"

namespace fivebar_control::test
{
namespace
{

/// A plant of config/plants/outside: the mismatched robot and one effect.
PlantParameters outside(const std::string & name)
{
  return load_plant(config_path("plants/outside/" + name + ".yaml"));
}

/// The run that a robot is identified from: curve B, planned for another robot.
RunRecord first_run(const PlantParameters & plant)
{
  const RobotModel robot = default_robot();
  PlaySettings settings = on_plant(plant);
  settings.controller.guard.switch_off(Reason::implausible_motion);
  settings.controller.guard.switch_off(Reason::implausible_scale);
  return play(robot, plan_of(robot, "b"), "plan", settings);
}

/// With rigid drives and ideal amplifiers.
Identification identified_on(const PlantParameters & plant)
{
  const RobotModel robot = default_robot();
  IdentifyOptions options;
  options.extend = false;
  options.delay = 0;
  return identify(robot, {recorded_motion(first_run(plant), robot)}, options);
}

struct Outcome
{
  double before = 0.0, after = 0.0;  ///< m² s, true ISE with the identified robot and learned
  Session session;
};

/// Identified, planned for what was found, and learned with all guards.
Outcome learned_on(const PlantParameters & plant, int updates)
{
  // What a rigid model makes of cogging is no robot; it learns on the one of the file.
  const bool cogs = plant.effects.cogging.amplitude > 0.0 && plant.name == "cogging";
  const RobotModel robot =
    cogs ? default_robot() : RobotModel(identified_robot(default_robot(), identified_on(plant)));
  PlantParameters varying = plant;
  SessionOptions options;
  options.updates = updates;
  const Plan plan = rehearse(robot, plan_of(robot, "b"), "b").plan;
  Outcome outcome;
  outcome.session = learn_by_runs(
    robot, plan, "b",
    [&](const Plan & next, int) {
      ++varying.effects.variation.run;
      return played(robot, next, varying);
    },
    options);
  outcome.before = outcome.session.attempts.front().truth.value();
  outcome.after = outcome.session.attempts[outcome.session.best].truth.value();
  return outcome;
}

class Outside : public testing::TestWithParam<const char *>
{
};

TEST_P(Outside, GuardedLearningLeavesTheRobotNoWorse)
{
  const Outcome outcome = learned_on(outside(GetParam()), 3);
  EXPECT_NE(outcome.session.end, SessionEnd::run_failed);
  EXPECT_LE(outcome.after, outcome.before);
  if (std::string(GetParam()) == "elastic_15_link")
  {
    EXPECT_EQ(outcome.session.end, SessionEnd::resonance);
  }
}

INSTANTIATE_TEST_SUITE_P(
  Plants, Outside, testing::Values("backlash_1_link", "elastic_15_link", "cogging", "mixture"),
  [](const auto & parameter) { return std::string(parameter.param); });

TEST(StrongestSwing, FindsTheFrequencyAndItsShare)
{
  std::vector<Eigen::Vector2d> signal;
  for (int i = 0; i < 3000; ++i)
  {
    const double t = 1e-3 * i;
    const double slow = std::sin(2.0 * std::numbers::pi * 1.0 * t);
    signal.emplace_back(slow + std::sin(2.0 * std::numbers::pi * 19.0 * t), 0.0);
  }
  const Swing swing = strongest_swing(signal, 1e-3);
  EXPECT_NEAR(swing.frequency, 19.0, 0.5);
  EXPECT_NEAR(swing.share, 0.5, 0.05);
}

TEST(ModelCheck, RefusesAResonanceAndNothingElse)
{
  const RobotModel robot = default_robot();
  const auto elastic = check_model(robot, first_run(outside("elastic_15_link")));
  ASSERT_TRUE(elastic);
  EXPECT_TRUE(elastic->is_resonance()) << elastic->misfit << " " << elastic->swing.share;
  const auto cogging = check_model(robot, first_run(outside("cogging")));
  ASSERT_TRUE(cogging);
  EXPECT_GT(cogging->misfit, hopeless_misfit);
  EXPECT_FALSE(cogging->is_resonance()) << cogging->swing.frequency << " " << cogging->swing.share;
  const auto healthy = check_model(robot, first_run(mismatched()));
  ASSERT_TRUE(healthy);
  EXPECT_FALSE(healthy->is_resonance());
}

TEST(LearningSession, RefusesARigidModelOfARobotThatSwings)
{
  const RobotModel robot = default_robot();
  const RunRecord run = first_run(outside("elastic_15_link"));
  int runs = 0;
  const Session session = learn_by_runs(robot, plan_of(robot, "b"), "b", [&](const Plan &, int) {
    ++runs;
    return run;
  });
  EXPECT_EQ(session.end, SessionEnd::resonance);
  EXPECT_EQ(runs, 2) << "the plan and its repetition, no update";
}

TEST(IdentifyDrives, LeavesARigidRobotAlone)
{
  const RobotModel robot = default_robot();
  const Identification found = identify(robot, {recorded_motion(first_run(mismatched()), robot)});
  EXPECT_TRUE(found.drive_groups.empty());
  EXPECT_EQ(found.drives, Drives{});
}

TEST(Rehearse, GivesIdealDrivesTheirPlanBack)
{
  const RobotModel robot = default_robot();
  const Plan plan = plan_of(robot, "b");
  const Rehearsed same = rehearse(robot, plan, "b");
  EXPECT_EQ(same.rounds, 0);
  EXPECT_TRUE(same.plan.lessons.empty());
}

}  // namespace
}  // namespace fivebar_control::test
