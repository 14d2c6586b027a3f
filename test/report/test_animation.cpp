// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/report/motion.hpp"
#include "fivebar_control/report/scene.hpp"
#include "fivebar_control/support/errors.hpp"
#include "model/robots.hpp"

namespace fivebar_control
{
namespace
{

const Plan & plan_of_b()
{
  static const Plan plan =
    make_plan(test::default_robot(), load_plan_request(test::config_path("curves/b.yaml"))).plan;
  return plan;
}

/// A run of which the last `rows - first_playing` cycles played.
RunRecord run_of(int first_playing, int rows)
{
  RecordKeeper keeper(test::default_robot());
  for (int i = 0; i < rows; ++i)
  {
    const bool playing = i >= first_playing;
    CycleRecord record;
    record.time_ns = 1'000'000LL * i;
    record.state = playing ? ControlState::playing : ControlState::idle;
    record.plan_time = playing ? 0.001 * (i - first_playing) : 0.0;
    record.volts = {1.5, -2.5};
    record.angle = {0.1, 1.6};
    keeper.take(record);
  }
  return keeper.finish({}, RunEnd::finished, Reason::none);
}

}  // namespace

TEST(Animation, TicksAreRoundAndWithinTheRange)
{
  EXPECT_THAT(round_ticks(-1.1, 1.1, 5), testing::ElementsAre(-1.0, -0.5, 0.0, 0.5, 1.0));
  EXPECT_THAT(round_ticks(0.0, 5.0, 5), testing::ElementsAre(0.0, 1.0, 2.0, 3.0, 4.0, 5.0));
}

TEST(Animation, ShowsThePlansMotionAndItsDistanceFromTheCurve)
{
  const Plan & plan = plan_of_b();
  const Motion motion = motion_of_plan(plan);
  EXPECT_FALSE(motion.measured);
  EXPECT_EQ(motion.time.size(), plan.samples.size());
  EXPECT_NEAR(
    *std::max_element(motion.error.begin(), motion.error.end()), plan.quality.largest_error, 1e-12);
  EXPECT_EQ(motion.row_at(-1.0), 0U);
  EXPECT_EQ(motion.row_at(0.0051), 1U);
  EXPECT_EQ(motion.row_at(99.0), plan.samples.size() - 1);
}

TEST(Animation, TakesFromARunWhatWasPlayed)
{
  const Motion motion = motion_of_run(plan_of_b(), run_of(3, 10));
  EXPECT_TRUE(motion.measured);
  ASSERT_EQ(motion.time.size(), 7U);
  EXPECT_EQ(motion.time.front(), 0.0);
  EXPECT_EQ(motion.volts.front(), Eigen::Vector2d(1.5, -2.5));
  EXPECT_EQ(motion.phi.front(), Eigen::Vector2d(0.1, 1.6));
}

TEST(Animation, RefusesARunWithoutMotion)
{
  EXPECT_NO_THROW(motion_of_run(plan_of_b(), run_of(0, 5)));
  EXPECT_THROW(motion_of_run(plan_of_b(), run_of(9, 5)), InputError);
}

TEST(Animation, DrawsTheLinkageWhereTheRobotIs)
{
  const RobotModel robot = test::default_robot();
  const Scene scene(robot, motion_of_plan(plan_of_b()));
  const auto joints = scene.linkage(300);
  // Equal lengths in the robot are equal lengths on the picture: one scale for both axes.
  const double first = (joints[1] - joints[0]).norm();
  for (std::size_t i = 1; i < 4; ++i)
  {
    EXPECT_NEAR((joints[i + 1] - joints[i]).norm(), first, 1e-9);
  }
  EXPECT_LT((scene.trace(301).back() - joints[2]).norm(), 0.01) << "the trace ends at P";
  for (const Eigen::Vector2d & joint : joints)
  {
    EXPECT_GT(joint.minCoeff(), 0.0);
    EXPECT_LT(joint.x(), Scene::width);
    EXPECT_LT(joint.y(), Scene::height);
  }
}

}  // namespace fivebar_control
