// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "fivebar_control/controller/loop_gains.hpp"
#include "fivebar_control/learning/learn.hpp"
#include "fivebar_control/learning/model_check.hpp"
#include "fivebar_control/learning/rehearse.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "learning/lab.hpp"

namespace fivebar_control::test
{
namespace
{

/// chi^2/N below which no drives are sought.
constexpr double asks_for_no_more = 1.1;

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

/// The default robot as a laboratory knows its drives: where the encoders sit and, if asked, the
/// gap.
RobotModel known_drives(const PlantParameters & plant, bool gap)
{
  RobotParameters parameters = default_robot().parameters();
  const Drives truth = plant_drives(default_robot(), plant);
  for (std::size_t i = 0; i < 2; ++i)
  {
    parameters.drives[i].encoder_on_motor = truth[i].encoder_on_motor;
    parameters.drives[i].gap = gap ? truth[i].gap : 0.0;
  }
  return RobotModel(std::move(parameters));
}

/// On a plant that stays what it is whichever robot was planned for.
RunRecord played_on(
  PlantParameters plant, const RobotModel & robot, const Plan & plan,
  ControlMode mode = ControlMode::feedforward_and_feedback,
  const char * controller = "controller.yaml")
{
  plant.robot = plant.robot ? plant.robot : std::make_shared<const RobotModel>(default_robot());
  PlaySettings settings = on_plant(plant);
  settings.mode = mode;
  const GuardSettings guard = settings.controller.guard;
  settings.controller = load_controller_settings(config_path(controller));
  settings.controller.guard = guard;
  settings.controller.guard.switch_off(Reason::implausible_motion);
  settings.controller.guard.switch_off(Reason::implausible_scale);
  const RunRecord run = play(robot, plan, "plan", settings);
  EXPECT_EQ(run.ended, "finished");
  return run;
}

struct Found
{
  RobotModel robot;  ///< as its file describes it
  Identification identification;
};

/// From one run of curve B, with whatever the data call for.
Found found_on(const PlantParameters & plant, bool gap = false)
{
  const RobotModel robot = known_drives(plant, gap);
  const RunRecord run = played_on(plant, robot, plan_of(robot, "b"));
  return {robot, identify(robot, {recorded_motion(run, robot)})};
}

/// Times less true ISE than PD alone, of the plan rehearsed for the robot that was found.
double true_ratio_with(const PlantParameters & plant, const Found & found)
{
  const RobotModel robot(identified_robot(found.robot, found.identification));
  const Plan plan = rehearse(robot, plan_of(robot, "b"), "b").plan;
  require_plan_fits(plan, robot, "rehearsed");
  const Plan first = plan_of(found.robot, "b");
  const double pd = true_ise(played_on(plant, found.robot, first, ControlMode::feedback_only));
  return pd / true_ise(played_on(plant, robot, plan));
}

TEST(IdentifyDrives, FindsElasticDrivesOfFifteenHertz)
{
  const PlantParameters plant = outside("elastic_15_link");
  const Found found = found_on(plant);
  const Identification & f = found.identification;
  EXPECT_THAT(f.drive_groups, testing::ElementsAre(DriveGroup::elastic));
  EXPECT_NEAR(f.rigid_chi_square, 3.22, 0.1) << "an alarm without them";
  EXPECT_NEAR(f.reduced(), 1.0, 0.05);
  EXPECT_EQ(f.delay, 0) << "what looked like three cycles of delay is none";
  const Drives truth = plant_drives(default_robot(), plant);
  for (std::size_t i = 0; i < 2; ++i)
  {
    EXPECT_NEAR(f.drives[i].stiffness, truth[i].stiffness, 0.015 * truth[i].stiffness);
    EXPECT_NEAR(f.drives[i].damping, truth[i].damping, 0.15 * truth[i].damping);
  }
  // An independent computation learned to 650 to 2,500 on such a model.
  EXPECT_GT(true_ratio_with(plant, found), 2500.0);
}

TEST(IdentifyDrives, FindsElasticDrivesBehindTheEncoders)
{
  const PlantParameters plant = outside("elastic_15_motor");
  const Found found = found_on(plant);
  EXPECT_THAT(found.identification.drive_groups, testing::Contains(DriveGroup::elastic));
  EXPECT_LT(found.identification.reduced(), doubtful_misfit);
  // With rigid drives 1,991: P swings where the encoders do not see it.
  EXPECT_GT(true_ratio_with(plant, found), 4000.0);
}

struct Effect
{
  const char * plant;
  DriveGroup group;
  double Drive::*number;
  double within;  ///< of what it truly is
};

class IdentifyEffect : public testing::TestWithParam<Effect>
{
};

TEST_P(IdentifyEffect, IsFoundByItself)
{
  const PlantParameters plant = outside(GetParam().plant);
  const Identification f = found_on(plant).identification;
  EXPECT_THAT(f.drive_groups, testing::Contains(GetParam().group));
  EXPECT_LT(f.reduced(), asks_for_no_more);
  const double truth = plant_drives(default_robot(), plant)[0].*GetParam().number;
  EXPECT_NEAR(f.drives[0].*GetParam().number, truth, GetParam().within * truth);
}

INSTANTIATE_TEST_SUITE_P(
  Plants, IdentifyEffect,
  testing::Values(
    Effect{"stribeck", DriveGroup::stribeck, &Drive::stribeck, 0.5},
    Effect{"amplifier", DriveGroup::amplifier, &Drive::dead_band, 0.3}),
  [](const auto & parameter) { return std::string(parameter.param.plant); });

TEST(IdentifyDrives, GivesDrivesUpThatDoNotExplainTheData)
{
  const Identification f = found_on(outside("cogging")).identification;
  EXPECT_TRUE(f.drive_groups.empty()) << "half an explanation is none";
  EXPECT_GT(f.reduced(), hopeless_misfit);
}

TEST(Rehearse, LeadsTheEncodersThroughAKnownGap)
{
  const PlantParameters plant = outside("backlash_3_motor");
  const Found blind = found_on(plant);
  EXPECT_LT(true_ratio_with(plant, blind), 600.0) << "what nobody knows leaves P behind";
  const Found knowing = found_on(plant, true);
  EXPECT_GT(true_ratio_with(plant, knowing), 4000.0);
}

TEST(Rehearse, KeepsThePathOfPAndSaysWhereTheEncodersLead)
{
  RobotParameters parameters = default_robot().parameters();
  for (Drive & drive : parameters.drives)
  {
    drive.gap = 3e-3;
    drive.encoder_on_motor = true;
  }
  const RobotModel robot(parameters);
  const Plan plan = plan_of(robot, "b");
  const PlanSamples s = rehearse(robot, plan, "b").plan.samples;
  ASSERT_TRUE(s.has_learned());
  double least = 0.0;
  double most = 0.0;
  for (std::size_t i = 0; i < s.size(); ++i)
  {
    const Eigen::Vector2d p =
      end_effector_at(robot.constants().geometry, Eigen::Vector2d(s.phi(i) - s.lead(i)));
    EXPECT_NEAR((p - s.point(i)).norm(), 0.0, 1e-9);
    least = std::min(least, s.lead1[i]);
    most = std::max(most, s.lead1[i]);
  }
  // To and fro by half of the gap, and by what the teeth give way.
  EXPECT_NEAR(most, 1.5e-3, 0.4e-3);
  EXPECT_NEAR(least, -1.5e-3, 0.4e-3);
}

TEST(LearnedPlan, IsNotCompensatedTwiceByTheObserver)
{
  const PlantParameters plant = mismatched();
  const RobotModel robot = default_robot();
  const Plan plan = plan_of(robot, "b");
  const Plan learned = learn(robot, plan, "b", {played_on(plant, robot, plan)}).plan;
  const double pd = measured_ise(played_on(plant, robot, plan, ControlMode::feedback_only));
  const auto ratio = [&](const Plan & played) {
    return pd /
           measured_ise(played_on(
             plant, robot, played, ControlMode::feedforward_and_feedback, "controller_tvlqr.yaml"));
  };
  // Independently computed: 2734, and 99 where the observer does not know.
  EXPECT_GT(ratio(learned), 0.9 * 2734.0);
  Plan forgetful = learned;
  forgetful.samples.learned1.assign(learned.samples.size(), 0.0);
  forgetful.samples.learned4.assign(learned.samples.size(), 0.0);
  EXPECT_LT(ratio(forgetful), 300.0);
}

TEST(LearnedPlan, KeepsWhatItLearnedInItsFile)
{
  const RobotModel robot = default_robot();
  const Plan plan = plan_of(robot, "b");
  const Plan learned = learn(robot, plan, "b", {played_on(mismatched(), robot, plan)}).plan;
  const Plan again = parse_plan(plan_text(learned), "learned");
  EXPECT_EQ(again.samples.learned1, learned.samples.learned1);
  EXPECT_EQ(again.samples.lead4, learned.samples.lead4);
  EXPECT_FALSE(parse_plan(plan_text(plan), "plan").samples.has_learned());
  ControllerSettings settings = load_controller_settings(config_path("controller_tvlqr.yaml"));
  EXPECT_NO_THROW(require_plan_can_be_played(again, robot, settings, "learned"));
  Plan old = again;  // as an older version wrote it
  visit_learned_columns(old.samples, [](const char *, auto & values) { values.clear(); });
  EXPECT_THROW(require_plan_can_be_played(old, robot, settings, "old"), InputError);
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
