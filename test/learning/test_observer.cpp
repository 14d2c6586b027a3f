// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fivebar_control/model/held_step.hpp"
#include "fivebar_control/model/runge_kutta.hpp"
#include "fivebar_control/support/errors.hpp"
#include "learning/lab.hpp"

namespace fivebar_control::test
{
namespace
{

RunRecord played_with(
  const char * controller, const RobotModel & robot, const Plan & plan, ControlMode mode)
{
  PlaySettings settings = on_plant(mismatched());
  const GuardSettings guard = settings.controller.guard;
  settings.controller = load_controller_settings(config_path(controller));
  settings.controller.guard = guard;
  settings.mode = mode;
  return play(robot, plan, "plan", settings);
}

TEST(HeldStep, DerivativesEqualDifferences)
{
  const RobotModel robot = unequal_robot();
  RandomStates random(robot, 11);
  for (int n = 0; n < 20; ++n)
  {
    const Eigen::Vector4d x = random.state();
    const Eigen::Vector2d u = random.voltages();
    const HeldStep step = held_step(robot.constants(), x, u, 1e-3);
    constexpr double h = 1e-6;
    for (int i = 0; i < 6; ++i)
    {
      const auto at = [&](double by) {
        Eigen::Vector4d y = x;
        Eigen::Vector2d v = u;
        (i < 4 ? y[i] : v[i - 4]) += by;
        return held_step(robot.constants(), y, v, 1e-3).state;
      };
      const Eigen::Vector4d slope = (at(h) - at(-h)) / (2.0 * h);
      const Eigen::Vector4d expected =
        i < 4 ? Eigen::Vector4d(step.by_state.col(i)) : Eigen::Vector4d(step.by_volts.col(i - 4));
      EXPECT_NEAR((slope - expected).norm(), 0.0, 1e-6 * std::max(1.0, expected.norm()));
    }
  }
}

struct Case
{
  const char * curve;
  double ratio;  ///< times less ISE than PD with the filter, independently computed
};

class ObservedPlan : public testing::TestWithParam<Case>
{
};

TEST_P(ObservedPlan, WithGainsAlongThePlanReachesTheIndependentRatio)
{
  const RobotModel robot = default_robot();
  const Plan plan = plan_of(robot, GetParam().curve);
  const double pd =
    measured_ise(played_with("controller.yaml", robot, plan, ControlMode::feedback_only));
  const RunRecord run =
    played_with("controller_tvlqr.yaml", robot, plan, ControlMode::feedforward_and_feedback);
  EXPECT_EQ(run.ended, "finished");
  EXPECT_EQ(run.feedback_method, "tvlqr");
  EXPECT_EQ(run.velocity_method, "kalman");
  EXPECT_NEAR(pd / measured_ise(run), GetParam().ratio, 0.1 * GetParam().ratio);
}

INSTANTIATE_TEST_SUITE_P(
  Curves, ObservedPlan, testing::Values(Case{"a", 1454.0}, Case{"b", 2547.0}, Case{"c10", 3550.0}),
  [](const auto & parameter) { return std::string(parameter.param.curve); });

TEST(ObservedPlan, IsRefusedForAPlanThatHasLearned)
{
  const RobotModel robot = default_robot();
  const Plan plan = plan_of(robot, "b");
  const Plan learned = learn(robot, plan, "plan", {played(robot, plan, mismatched())}).plan;
  try
  {
    played_with("controller_tvlqr.yaml", robot, learned, ControlMode::feedforward_and_feedback);
    FAIL() << "a learned plan was played with the observer";
  }
  catch (const InputError & error)
  {
    EXPECT_THAT(error.what(), testing::HasSubstr("has learned from runs"));
  }
}

TEST(ControlCore, DoesNotTakeAPlanWithoutTheGainsThatItsSettingsNeed)
{
  const RobotModel robot = default_robot();
  const PlayablePlan plan(plan_of(robot, "b").samples);
  const ControllerSettings settings =
    load_controller_settings(config_path("controller_tvlqr.yaml"));
  ControlCore controller(robot, settings, ControlMode::feedforward_and_feedback, 1'000'000);
  EXPECT_FALSE(controller.set_plan(&plan));
  const auto gains = loop_gains_for(robot, settings, plan, 1e-3);
  ASSERT_TRUE(gains);
  EXPECT_TRUE(controller.set_plan(&plan, &*gains));
}

}  // namespace
}  // namespace fivebar_control::test
