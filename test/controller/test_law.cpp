// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "fivebar_control/controller/cycle_clock.hpp"
#include "fivebar_control/controller/feedback.hpp"
#include "fivebar_control/controller/output_pipeline.hpp"
#include "fivebar_control/controller/velocity_estimator.hpp"

namespace fivebar_control::test
{
namespace
{

constexpr double period = 1e-3;

class Velocity : public testing::TestWithParam<VelocityMethod>
{
};

TEST_P(Velocity, FindsAConstantSpeed)
{
  VelocityEstimator estimator({GetParam(), 50.0}, period);
  estimator.reset({0.0, 1.0});
  for (int k = 1; k <= 200; ++k)
  {
    estimator.update({3.0 * period * k, 1.0 - 2.0 * period * k}, period);
  }
  EXPECT_NEAR(estimator.speed()[0], 3.0, 1e-9);
  EXPECT_NEAR(estimator.speed()[1], -2.0, 1e-9);
}

TEST_P(Velocity, FindsItAlsoAcrossMissingSamples)
{
  VelocityEstimator estimator({GetParam(), 50.0}, period);
  estimator.reset({0.0, 0.0});
  double t = 0.0;
  for (int k = 1; k <= 300; ++k)
  {
    const double elapsed = k % 7 == 0 ? 3.0 * period : period;
    t += elapsed;
    estimator.update({3.0 * t, 0.0}, elapsed);
  }
  EXPECT_NEAR(estimator.speed()[0], 3.0, 1e-6);
}

TEST_P(Velocity, SmoothsTheStepsOfAnEncoder)
{
  // One count of 4096 is 1.5 rad/s if it is differentiated over 1 ms.
  const double count = 2.0 * std::numbers::pi / 4096.0;
  VelocityEstimator estimator({GetParam(), 50.0}, period);
  estimator.reset({0.0, 0.0});
  double largest = 0.0;
  for (int k = 1; k <= 3000; ++k)
  {
    estimator.update({count * std::round(0.5 * period * k / count), 0.0}, period);
    if (k > 200)
    {
      largest = std::max(largest, std::abs(estimator.speed()[0] - 0.5));
    }
  }
  EXPECT_LT(largest, 0.5);
}

TEST_P(Velocity, ReachesExactZeroAtRest)
{
  VelocityEstimator estimator({GetParam(), 50.0}, period);
  estimator.reset({0.0, 0.0});
  estimator.update({0.01, 0.0}, period);
  for (int k = 0; k < 2000; ++k)
  {
    estimator.update({0.01, 0.0}, period);
  }
  EXPECT_EQ(estimator.speed()[0], 0.0);
}

INSTANTIATE_TEST_SUITE_P(
  Methods, Velocity,
  testing::Values(VelocityMethod::filtered_difference, VelocityMethod::tracking_observer));

TEST(FilteredDifference, HasTheTimeConstantOfItsCutoff)
{
  VelocityEstimator estimator({VelocityMethod::filtered_difference, 50.0}, period);
  estimator.reset({0.0, 0.0});
  // A speed of 1 from now on: after n samples the low-pass has reached 1 - exp(-2 pi 50 n T).
  for (int k = 1; k <= 5; ++k)
  {
    estimator.update({period * k, 0.0}, period);
    EXPECT_NEAR(
      estimator.speed()[0], 1.0 - std::exp(-2.0 * std::numbers::pi * 50.0 * period * k), 1e-12);
  }
}

TEST(Feedback, IsTheWrittenLaw)
{
  const Feedback feedback({22.7, 0.43, 0.0, 1.0});
  Reference reference;
  reference.phi = {0.1, 1.0};
  reference.speed = {1.0, -2.0};
  const Eigen::Vector2d volts = feedback.volts(reference, {0.08, 1.01}, {0.5, -2.0});
  EXPECT_NEAR(volts[0], 22.7 * 0.02 + 0.43 * 0.5, 1e-14);
  EXPECT_NEAR(volts[1], 22.7 * -0.01, 1e-14);
}

TEST(Feedback, IntegratesAndStopsAtItsLimit)
{
  Feedback feedback({0.0, 0.0, 2.0, 0.05});
  feedback.integrate({0.1, -0.1}, {0.0, 0.0}, 0.1);
  EXPECT_NEAR(feedback.volts({}, {0.0, 0.0}, {0.0, 0.0})[0], 0.02, 1e-15);
  for (int i = 0; i < 100; ++i)
  {
    feedback.integrate({0.1, -0.1}, {0.0, 0.0}, 0.1);
  }
  EXPECT_EQ(feedback.volts({}, {0.0, 0.0}, {0.0, 0.0})[0], 0.05);
  EXPECT_EQ(feedback.volts({}, {0.0, 0.0}, {0.0, 0.0})[1], -0.05);
}

TEST(Feedback, DoesNotWindUpWhileTheOutputIsCut)
{
  Feedback feedback({0.0, 0.0, 2.0, 10.0});
  feedback.integrate({0.1, 0.1}, {3.0, -3.0}, 0.1);
  const Eigen::Vector2d volts = feedback.volts({}, {0.0, 0.0}, {0.0, 0.0});
  EXPECT_EQ(volts[0], 0.0) << "cut in the direction of the error: must wait";
  EXPECT_NEAR(volts[1], 0.02, 1e-15) << "cut against the error: integrating leads out of it";
}

TEST(OutputPipeline, ClampsTheSumAndLimitsItsRate)
{
  const OutputLimits limits{10.0, 0.5};
  EXPECT_EQ(limit_output({30.0, -0.2}, {9.8, 0.0}, limits), Eigen::Vector2d(10.0, -0.2));
  EXPECT_EQ(limit_output({3.0, -3.0}, {0.0, 0.0}, limits), Eigen::Vector2d(0.5, -0.5));
  EXPECT_EQ(limit_output({0.3, 9.0}, {0.0, 10.0}, limits), Eigen::Vector2d(0.3, 9.5));
}

TEST(OutputPipeline, RecognisesWhatIsNoNumber)
{
  EXPECT_TRUE(is_finite({1.0, -2.0}));
  EXPECT_FALSE(is_finite({std::nan(""), 0.0}));
  EXPECT_FALSE(is_finite({0.0, std::numeric_limits<double>::infinity()}));
}

TEST(CycleClock, CountsAnythingOnTimeAsExactlyOnePeriod)
{
  CycleClock clock(1'000'000);
  EXPECT_EQ(clock.tick(77).advance_ns, 1'000'000) << "the first cycle";
  EXPECT_EQ(clock.tick(1'000'077).advance_ns, 1'000'000);
  EXPECT_EQ(clock.tick(2'400'077).advance_ns, 1'000'000) << "1.4 periods";
  EXPECT_EQ(clock.tick(3'000'077).advance_ns, 1'000'000) << "0.6 periods";
}

TEST(CycleClock, NeverAdvancesByMoreThanOneAndAHalfPeriods)
{
  CycleClock clock(1'000'000);
  clock.tick(0);
  EXPECT_FALSE(clock.tick(1'500'000).late);
  const CycleTiming late = clock.tick(3'000'001);
  EXPECT_TRUE(late.late);
  EXPECT_EQ(late.advance_ns, 1'500'000);
  const CycleTiming very_late = clock.tick(60'000'000'000);
  EXPECT_TRUE(very_late.late);
  EXPECT_EQ(very_late.advance_ns, 1'500'000);
}

TEST(CycleClock, NeverGoesBack)
{
  CycleClock clock(1'000'000);
  clock.tick(5'000'000);
  EXPECT_EQ(clock.tick(5'200'000).advance_ns, 200'000) << "early after a late one";
  EXPECT_EQ(clock.tick(5'200'000).advance_ns, 0);
  EXPECT_EQ(clock.tick(1'000'000).advance_ns, 0);
}

}  // namespace
}  // namespace fivebar_control::test
