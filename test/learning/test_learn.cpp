// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "box_riccati.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/support/errors.hpp"
#include "learning/lab.hpp"

namespace fivebar_control::test
{
namespace
{

struct Case
{
  const char * curve;
  double first, third;  ///< times less ISE than PD, independently computed
};

class Learn : public testing::TestWithParam<Case>
{
};

TEST_P(Learn, ReachesTheIndependentRatiosAfterOneAndThreeUpdates)
{
  const RobotModel robot = default_robot();
  Plan plan = plan_of(robot, GetParam().curve);
  const RunRecord pd_run = played(robot, plan, mismatched(), ControlMode::feedback_only);
  ASSERT_EQ(pd_run.ended, "finished") << pd_run.reason;
  const double pd = measured_ise(pd_run);
  RunRecord run = played(robot, plan, mismatched());
  std::vector<double> ratio;
  for (int update = 1; update <= 3; ++update)
  {
    plan = learn(robot, plan, "plan", {run}).plan;
    run = played(robot, plan, mismatched());
    ratio.push_back(pd / measured_ise(run));
  }
  EXPECT_GT(ratio[0], 0.9 * GetParam().first);
  EXPECT_GT(ratio[2], 0.9 * GetParam().third);
  EXPECT_EQ(plan.lessons.size(), 3U);
}

INSTANTIATE_TEST_SUITE_P(
  Curves, Learn,
  testing::Values(
    Case{"a", 1796.0, 1972.0}, Case{"b", 4235.0, 4448.0}, Case{"c10", 13705.0, 20948.0}),
  [](const auto & parameter) { return std::string(parameter.param.curve); });

TEST(Learn, KeepsTheReferenceToTheLastDigits)
{
  const RobotModel robot = default_robot();
  const Plan plan = plan_of(robot, "b");
  const Plan learned = learn(robot, plan, "plan", {played(robot, plan, mismatched())}).plan;
  const PlayablePlan before(plan.samples);
  const PlayablePlan after(learned.samples);
  EXPECT_EQ(before.duration(), after.duration());
  std::size_t i = 0;
  std::size_t j = 0;
  for (double t = 0.0; t <= before.duration(); t += 0.00037)
  {
    const Reference a = before.at(t, i);
    const Reference b = after.at(t, j);
    EXPECT_NEAR((a.phi - b.phi).norm(), 0.0, 1e-12);
    EXPECT_NEAR((a.speed - b.speed).norm(), 0.0, 1e-9);
  }
}

TEST(Learn, ThePlanFileRemembersItsAncestors)
{
  const RobotModel robot = default_robot();
  const Plan plan = plan_of(robot, "b");
  const Plan learned = learn(robot, plan, "first.csv", {played(robot, plan, mismatched())}).plan;
  const Plan again = parse_plan(plan_text(learned), "again.csv");
  ASSERT_EQ(again.lessons.size(), 1U);
  EXPECT_EQ(again.lessons[0], learned.lessons[0]);
  EXPECT_EQ(again.lessons[0].plan, "first.csv");
  EXPECT_GT(again.lessons[0].measured_ise, again.lessons[0].predicted_ise);
}

TEST(Learn, RefusesRunsOfOtherPlansModesAndFeedforwards)
{
  const RobotModel robot = default_robot();
  const Plan plan = plan_of(robot, "b");
  const RunRecord run = played(robot, plan, mismatched());
  const auto refusal = [&](const Plan & of, const std::vector<RunRecord> & runs) -> std::string {
    try
    {
      learn(robot, of, "plan", runs);
    }
    catch (const InputError & error)
    {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(
    refusal(plan_of(robot, "a"), {run}), testing::HasSubstr("expected logs of this plan"));
  const RunRecord pd = played(robot, plan, mismatched(), ControlMode::feedback_only);
  EXPECT_THAT(refusal(plan, {pd}), testing::HasSubstr("mode 'pd'"));
  const Plan learned = learn(robot, plan, "plan", {run}).plan;
  EXPECT_THAT(refusal(learned, {run}), testing::HasSubstr("another feedforward"));
  RunRecord stopped = run;
  stopped.ended = "stopped";
  EXPECT_THAT(refusal(plan, {stopped}), testing::HasSubstr("'stopped'"));
  RunRecord stiffer = run;
  stiffer.kp *= 2.0;
  EXPECT_THAT(refusal(plan, {run, stiffer}), testing::HasSubstr("another controller"));
}

TEST(Learn, StaysWithinTheVoltsAndTheLargestChange)
{
  const RobotModel robot = default_robot();
  const Plan plan = plan_of(robot, "c10");
  LearnOptions options;
  options.largest_change = 0.05;
  const Learned learned = learn(robot, plan, "plan", {played(robot, plan, mismatched())}, options);
  EXPECT_TRUE(learned.converged);
  EXPECT_LE(learned.largest_change, 0.05 + 1e-12);
  EXPECT_NO_THROW(require_plan_fits(learned.plan, robot, "plan"));
}

TEST(ClosedLoop, PredictsWhatAChangeOfTheFeedforwardDoes)
{
  const RobotModel robot = default_robot();
  const Plan plan = plan_of(robot, "b");
  PlantParameters fine;
  fine.counts_per_turn = 1e9;
  const RunRecord before = played(robot, plan, fine);
  const std::vector<LoopStep> loop = closed_loop(robot, PlayablePlan(plan.samples), before);
  Plan changed = plan;
  PlanSamples & s = changed.samples;
  LoopState state = LoopState::Zero();
  for (std::size_t i = 200; i < s.size(); ++i)
  {
    s.u1[i] += 0.01;
    s.u4[i] -= 0.005;
  }
  const RunRecord after = played(robot, changed, fine);
  const PlayablePlan old_plan(plan.samples);
  const PlayablePlan new_plan(changed.samples);
  std::size_t a = 0;
  std::size_t b = 0;
  double largest = 0.0;
  for (std::size_t k = 0; k < loop.size(); ++k)
  {
    const Eigen::Vector2d moved(
      after.angle[0][k] - before.angle[0][k], after.angle[1][k] - before.angle[1][k]);
    EXPECT_NEAR((moved - state.head<2>()).norm(), 0.0, 2e-5) << k;
    largest = std::max(largest, moved.norm());
    const double t = static_cast<double>(k) * 1e-3;
    const Eigen::Vector2d change = new_plan.at(t, b).feedforward - old_plan.at(t, a).feedforward;
    state = loop[k].by_state * state + loop[k].by_change * change;
  }
  EXPECT_GT(largest, 3e-4) << "the change must show";
}

/// No feasible change of single inputs improves the solution.
TEST(BoxRiccati, IsTheMinimumWithinItsBounds)
{
  const RobotModel robot = default_robot();
  const Plan plan = plan_of(robot, "c10");
  const RunRecord run = played(robot, plan, mismatched());
  std::vector<LoopStep> loop = closed_loop(robot, PlayablePlan(plan.samples), run);
  loop.resize(60);
  ChangeProblem problem{loop, {}, {}, {}, {}};
  for (std::size_t k = 0; k < loop.size(); ++k)
  {
    problem.error.emplace_back(1e-3 * std::sin(0.2 * static_cast<double>(k)), 1e-3);
    problem.weight.emplace_back(1e7 * Eigen::Matrix2d::Identity());
    problem.low.emplace_back(-0.02, -0.02);
    problem.high.emplace_back(0.03, 0.03);
  }
  problem.change_weight = 2500.0;
  problem.size_weight = 0.01;
  const ChangeSolution solution = solve(problem);
  ASSERT_TRUE(solution.converged);
  EXPECT_GT(solution.bounded, 10);
  const auto cost = [&](const std::vector<Eigen::Vector2d> & change) {
    LoopState state = LoopState::Zero();
    double sum = 0.0;
    for (std::size_t k = 0; k < loop.size(); ++k)
    {
      const Eigen::Vector2d left = problem.error[k] - state.head<2>();
      sum += left.dot(problem.weight[k] * left) +
             problem.change_weight * (change[k] - state.tail<2>()).squaredNorm() +
             problem.size_weight * change[k].squaredNorm();
      state = loop[k].by_state * state + loop[k].by_change * change[k];
    }
    return sum;
  };
  const double best = cost(solution.change);
  EXPECT_NEAR(best, solution.cost, 1e-9 * best);
  for (std::size_t k = 0; k < loop.size(); ++k)
  {
    for (int i = 0; i < 2; ++i)
    {
      for (const double step : {-1e-4, 1e-4})
      {
        std::vector<Eigen::Vector2d> other = solution.change;
        other[k][i] = std::clamp(other[k][i] + step, problem.low[k][i], problem.high[k][i]);
        EXPECT_GE(cost(other), best - 1e-12 * best);
      }
    }
  }
}

TEST(LearningSession, StopsAtTheFloorOfTheEncoderAndKeepsTheBest)
{
  const RobotModel robot = default_robot();
  const Plan plan = plan_of(robot, "b");
  SessionOptions options;
  options.updates = 10;
  const Session session = learn_by_runs(
    robot, plan, "b", [&](const Plan & next, int) { return played(robot, next, mismatched()); },
    options);
  EXPECT_EQ(session.end, SessionEnd::at_floor);
  EXPECT_LT(session.attempts.size(), 5U);
  const Attempt & best = session.attempts[session.best];
  EXPECT_LT(best.ise, 1.1 * best.encoder_floor);
  EXPECT_LT(*best.truth, best.ise);
}

TEST(LearningSession, GoesBackToTheBestWhereAnUpdateMakesItWorse)
{
  const RobotModel robot = default_robot();
  const Plan plan = plan_of(robot, "b");
  // A robot that gets another friction in every run: what was learned does not hold.
  int runs = 0;
  const PlayOnce play_once = [&](const Plan & next, int) {
    PlantParameters plant = mismatched();
    plant.coulomb = runs++ % 2 == 0 ? 0.01 : 0.03;
    return played(robot, next, plant);
  };
  SessionOptions options;
  options.check_model = false;
  const Session warned = learn_by_runs(robot, plan, "b", play_once, options);
  EXPECT_GT(warned.scatter, 0.0);
  EXPECT_GT(warned.unrepeatable, warned.attempts[0].encoder_floor);
  runs = 0;
  options.repeats = 0;  // nobody has seen that runs differ
  const Session session = learn_by_runs(robot, plan, "b", play_once, options);
  EXPECT_NE(session.end, SessionEnd::at_floor);
  int rejected = 0;
  for (const Attempt & attempt : session.attempts)
  {
    ASSERT_EQ(attempt.ended, "finished");
    rejected += attempt.accepted ? 0 : 1;
    EXPECT_LE(session.attempts[session.best].ise, attempt.ise);
  }
  EXPECT_GT(rejected, 0);
}

TEST(LearningSession, EndsAtARunThatDoesNotFinish)
{
  const RobotModel robot = default_robot();
  const Plan plan = plan_of(robot, "b");
  const Session session = learn_by_runs(robot, plan, "b", [&](const Plan & next, int number) {
    RunRecord run = played(robot, next, mismatched());
    run.ended = number == 1 ? "fault" : run.ended;
    return run;
  });
  EXPECT_EQ(session.end, SessionEnd::run_failed);
  EXPECT_EQ(session.attempts.size(), 2U);
  EXPECT_EQ(session.best, 0U);
}

}  // namespace
}  // namespace fivebar_control::test
