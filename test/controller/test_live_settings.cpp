// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/controller/live_settings.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "controller/rig.hpp"

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;
using testing::IsEmpty;

TEST(LiveSettings, GainsOfAMovingRobotChangeByAFactorOfTwoAtMost)
{
  const ControllerSettings now;
  ControllerSettings wanted = now;
  wanted.gains.kp = 1.9 * now.gains.kp;
  wanted.gains.kd = 0.55 * now.gains.kd;
  EXPECT_THAT(why_not_change(now, wanted, true), IsEmpty());
  wanted.gains.kp = 2.1 * now.gains.kp;
  EXPECT_THAT(why_not_change(now, wanted, true), HasSubstr("feedback.kp may change by a factor"));
  EXPECT_THAT(why_not_change(now, wanted, false), IsEmpty());
  wanted = now;
  wanted.gains.ki = 5.0;  // from nothing
  EXPECT_THAT(why_not_change(now, wanted, true), HasSubstr("feedback.ki"));
  EXPECT_THAT(why_not_change(now, wanted, false), IsEmpty());
  wanted = now;
  wanted.gains.kd = std::nan("");
  EXPECT_THAT(why_not_change(now, wanted, true), HasSubstr("feedback.kd"));
}

TEST(LiveSettings, TheGuardOfAMovingRobotStaysAsItIs)
{
  const ControllerSettings now;
  ControllerSettings wanted = now;
  wanted.guard.following_band *= 2.0;
  EXPECT_THAT(why_not_change(now, wanted, true), HasSubstr("guard.following_band"));
  EXPECT_THAT(why_not_change(now, wanted, false), IsEmpty());
  wanted = now;
  wanted.guard.switch_off(Reason::saturation);
  EXPECT_THAT(why_not_change(now, wanted, true), HasSubstr("guard.switched_off"));
  wanted = now;
  wanted.end.hold_time += 1.0;
  EXPECT_THAT(why_not_change(now, wanted, true), HasSubstr("start and end"));
  EXPECT_THAT(why_not_change(now, wanted, false), IsEmpty());
}

TEST(LiveSettings, MethodsAreReadWhileConfiguringOnly)
{
  const ControllerSettings now;
  ControllerSettings wanted = now;
  wanted.gains.method = FeedbackMethod::tvlqr;
  EXPECT_THAT(why_not_change(now, wanted, false), HasSubstr("while configuring"));
  wanted = now;
  wanted.velocity.cutoff = 20.0;
  EXPECT_THAT(why_not_change(now, wanted, false), HasSubstr("while configuring"));
}

/// V, largest change of the feedback from one cycle to the next while gains change.
double largest_step(Rig & rig, const ControllerSettings & settings)
{
  Eigen::Vector2d before = rig.step().feedback;
  rig.core.change_settings(settings);
  double largest = 0.0;
  for (int i = 0; i < 400; ++i)
  {
    const Eigen::Vector2d now = rig.step().feedback;
    largest = std::max(largest, (now - before).cwiseAbs().maxCoeff());
    before = now;
  }
  return largest;
}

TEST(LiveSettings, NewGainsComeWithoutAJumpOfTheVolts)
{
  ControllerSettings settings = default_settings();
  settings.gains.kd = 0.0;  // leaves the error of the angle alone: smooth but for single counts
  Rig still(default_robot(), gentle_plan(), settings);
  still.play(1000);
  const double without = largest_step(still, settings);
  Rig rig(default_robot(), gentle_plan(), settings);
  rig.play(1000);
  settings.gains.kp *= 2.0;
  const double with = largest_step(rig, settings);
  // One count is 1.5 mrad: 0.035 V before, 0.07 V after the change.
  EXPECT_LE(with, 2.0 * without + 0.01);
  EXPECT_EQ(rig.core.state(), ControlState::playing);
}

TEST(LiveSettings, TheFeedbackHasTheNewGainsAfterTheChange)
{
  Feedback feedback({10.0, 1.0, 0.0, 1.0});
  Reference reference;
  reference.phi = Eigen::Vector2d(1.0, 2.0);
  const Eigen::Vector2d zero = Eigen::Vector2d::Zero();
  feedback.change({20.0, 1.0, 0.0, 1.0}, 0.25);
  EXPECT_DOUBLE_EQ(feedback.volts(reference, zero, zero)[0], 10.0);
  feedback.advance(0.125);
  EXPECT_DOUBLE_EQ(feedback.volts(reference, zero, zero)[0], 15.0);
  feedback.advance(0.2);
  EXPECT_DOUBLE_EQ(feedback.volts(reference, zero, zero)[0], 20.0);
  feedback.change({5.0, 1.0, 0.0, 1.0}, 0.0);
  EXPECT_DOUBLE_EQ(feedback.volts(reference, zero, zero)[1], 10.0);
}

TEST(LiveSettings, AGuardThatWasChangedTooLateWaitsForTheEndOfTheRun)
{
  Rig rig;
  rig.play(1000);
  ControllerSettings strict = default_settings();
  strict.guard.following_band = 1e-9;
  strict.guard.following_window = 0.0;
  rig.core.change_settings(strict);
  for (int i = 0; i < 100; ++i)
  {
    rig.step();
  }
  ASSERT_EQ(rig.core.state(), ControlState::playing) << "the guard changed in the middle of a run";
  rig.step(ControlCommand::abort);
  rig.step();
  rig.step(ControlCommand::align_and_start);
  for (int i = 0; i < 2000 && rig.core.state() != ControlState::fault; ++i)
  {
    rig.step();
  }
  EXPECT_EQ(rig.core.fault().reason, Reason::following_error);
}

}  // namespace
}  // namespace fivebar_control::test
