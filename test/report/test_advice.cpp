// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "fivebar_control/report/advice.hpp"
#include "report/records.hpp"

namespace fivebar_control
{
namespace
{

using test::gentle_plan;
using test::report_on;
using test::run_with_error;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

}  // namespace

TEST(Advice, ComparesTheBestRunWithTheOthers)
{
  const ReportData data = report_on(
    {run_with_error(gentle_plan(), 0.02, "pd"),
     run_with_error(gentle_plan(), 0.002, "feedforward+pd")});
  const Advice advice = advice_on(data);
  EXPECT_TRUE(advice.good);
  // Ten times the joint error is about a hundred times the squared one.
  const double ratio = data.runs[0].score.to_plan.ise / data.runs[1].score.to_plan.ise;
  EXPECT_NEAR(ratio, 100.0, 5.0);
  EXPECT_THAT(advice.verdict, HasSubstr("'feedforward+pd' followed the planned path"));
  EXPECT_THAT(advice.verdict, HasSubstr("times less squared error than 'pd'"));
}

TEST(Advice, SaysNoWhenTheRunWasStoppedAndWhatToLookAt)
{
  RunRecord run = run_with_error(gentle_plan(), 0.01, "pd");
  run.ended = "fault";
  run.reason = "following_error";
  const Advice advice = advice_on(report_on({run}));
  EXPECT_FALSE(advice.good);
  EXPECT_THAT(advice.verdict, HasSubstr("No: 'pd' ended with 'fault' (following_error)"));
  EXPECT_THAT(advice.hints.front(), HasSubstr("left its band around the plan"));
}

TEST(Advice, PointsAtSaturatedVolts)
{
  RunRecord run = run_with_error(gentle_plan(), 0.001, "feedforward+pd");
  EXPECT_THAT(advice_on(report_on({run})).hints, Not(Contains(HasSubstr("volts were limited"))));
  for (std::size_t i = 0; i < run.size() / 20; ++i)
  {
    run.limited[i] = true;
  }
  EXPECT_THAT(
    advice_on(report_on({run})).hints, Contains(HasSubstr("volts were limited in 5.0 %")));
}

TEST(Advice, PointsAtLateCyclesAndLostRows)
{
  RunRecord run = run_with_error(gentle_plan(), 0.001, "feedforward+pd");
  for (std::size_t i = 0; i < run.size() / 100; ++i)
  {
    run.late[i] = true;
  }
  run.lost_rows = 7;
  const Advice advice = advice_on(report_on({run}));
  EXPECT_THAT(advice.hints, Contains(HasSubstr("1.00 % of the cycles were late")));
  EXPECT_THAT(advice.hints, Contains(HasSubstr("7 rows of the log were lost")));
}

TEST(Advice, PointsAtAModelThatDoesNotFit)
{
  RunRecord run = run_with_error(gentle_plan(), 0.001, "feedforward+pd");
  for (auto & feedback : run.feedback)
  {
    std::fill(feedback.begin(), feedback.end(), 3.0);
  }
  EXPECT_THAT(advice_on(report_on({run})).hints, Contains(HasSubstr("feedback had to add 3.00 V")));
}

TEST(Advice, PointsAtAnOffset)
{
  const Advice advice =
    advice_on(report_on({run_with_error(gentle_plan(), 0.003, "feedforward+pd")}));
  EXPECT_THAT(advice.hints, Contains(HasSubstr("phi1 was off to one side (+3.00 mrad")));
}

TEST(Advice, PointsAtThePlanItself)
{
  ReportData data = report_on({});
  EXPECT_THAT(advice_on(data).hints, ElementsAre(HasSubstr("Nothing stands out")));
  data.plan.verdict = Verdict::iteration_limit;
  data.plan.quality.largest_voltage = 14.0;
  data.plan.quality.first_interval_cost_share = 0.9;
  const Advice advice = advice_on(data);
  EXPECT_FALSE(advice.good);
  EXPECT_THAT(
    advice.hints, ElementsAre(
                    HasSubstr("ended with 'iteration limit'"), HasSubstr("asks for 14.00 V"),
                    HasSubstr("90 % of the plan's cost")));
}

}  // namespace fivebar_control
