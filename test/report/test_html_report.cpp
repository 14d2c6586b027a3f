// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <regex>

#include "fivebar_control/report/html_report.hpp"
#include "fivebar_control/support/errors.hpp"
#include "report/records.hpp"

namespace fivebar_control
{
namespace
{

using test::gentle_plan;
using test::report_on;
using test::run_with_error;
using testing::HasSubstr;
using testing::Not;

std::string refusal(RunRecord run)
{
  try
  {
    report_on({std::move(run)});
  }
  catch (const InputError & error)
  {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST(HtmlReport, HasEverySectionAndNeedsNoOtherFile)
{
  const std::string html = html_report(report_on(
    {run_with_error(gentle_plan(), 0.01, "pd"),
     run_with_error(gentle_plan(), 0.001, "feedforward+pd")}));
  for (const char * id :
       {"verdict", "figures", "path", "angles", "volts", "linkage", "history", "timing",
        "parameters"})
  {
    EXPECT_THAT(html, HasSubstr(std::string("<section id=\"") + id + "\"")) << id;
  }
  for (const char * id :
       {"chart-path", "chart-distance", "chart-phi1", "chart-phi4-error", "chart-volts-0-1",
        "chart-volts-1-4", "chart-cost", "chart-optimality"})
  {
    EXPECT_THAT(html, HasSubstr(std::string("id=\"") + id + "\"")) << id;
  }
  EXPECT_THAT(html, HasSubstr(gentle_plan().robot_fingerprint));
  EXPECT_FALSE(std::regex_search(html, std::regex("(src|href)=\"(?!data:)")));
  EXPECT_THAT(html, Not(HasSubstr("http")));
  EXPECT_THAT(html, Not(HasSubstr("nan,")));
}

TEST(HtmlReport, StaysSmallForTenMinutesAndKeepsThePeak)
{
  RunRecord run = run_with_error(gentle_plan(), 0.001, "feedforward+pd");
  const std::size_t last = run.size() - 1;
  while (run.size() < 600000)
  {
    run.t.push_back(run.t.back() + 1e-3);
    run.plan_time.push_back(run.plan_time[last]);
    for (auto * columns :
         {&run.feedforward, &run.feedback, &run.applied, &run.reference, &run.angle,
          &run.planned_point, &run.measured_point})
    {
      for (std::vector<double> & column : *columns)
      {
        column.push_back(column[last]);
      }
    }
    run.state.push_back(ControlState::holding);
    run.late.push_back(false);
    run.limited.push_back(false);
  }
  run.applied[0][345678] = 9.8765;
  const std::string html = html_report(report_on({run}));
  EXPECT_LT(html.size(), 5000000u);
  EXPECT_THAT(html, HasSubstr("345.678,9.8765"));
}

TEST(HtmlReport, ShowsAPlanAlone)
{
  const std::string html = html_report(report_on({}));
  EXPECT_THAT(html, HasSubstr("chart-volts-plan"));
  EXPECT_THAT(html, HasSubstr("No run was given"));
}

TEST(HtmlReport, MarksTheStagesOfTheSolver)
{
  ReportData data = report_on({});
  data.plan.history = {
    {0, 0, 1.0, 0.0, true},
    {0, 1, 0.1, 0.5, true},
    {1, 0, 0.3, 0.0, true},
    {1, 1, 0.01, 0.2, true}};
  EXPECT_THAT(html_report(data), HasSubstr("<b>stage 2</b>"));
}

TEST(HtmlReport, RefusesRunsOfSomethingElse)
{
  const RunRecord run = run_with_error(gentle_plan(), 0.01, "pd");
  EXPECT_EQ(refusal(run), "no error");
  RunRecord other = run;
  other.robot_fingerprint = "0123456789abcdef";
  EXPECT_THAT(refusal(other), HasSubstr("pd.csv: this run was on another robot"));
  other = run;
  other.curve = "curve C";
  EXPECT_THAT(
    refusal(other),
    HasSubstr("pd.csv: this run played 'curve C', but b.csv is a plan of 'curve B, gentle'"));
  other = run;
  other.reference[1][2000] += 0.01;
  EXPECT_THAT(
    refusal(other), HasSubstr("pd.csv: this run did not play b.csv: at 2 s of the plan its "
                              "reference phi4 is"));
}

TEST(HtmlReport, RefusesATimingOfAnotherRun)
{
  TimingRecord timing;
  timing.file = "x.json";
  timing.log = "other.csv";
  EXPECT_THROW(
    make_report_data(
      "b.csv", gentle_plan(), test::default_robot(), {run_with_error(gentle_plan(), 0.01, "pd")},
      {timing}),
    InputError);
}

TEST(HtmlReport, TellsRunsOfOneModeApartByTheirFiles)
{
  RunRecord first = run_with_error(gentle_plan(), 0.01, "pd");
  RunRecord second = first;
  second.file = "runs/second.csv";
  const ReportData data = report_on({first, second});
  EXPECT_EQ(data.runs[0].name, "pd (pd)");
  EXPECT_EQ(data.runs[1].name, "pd (second)");
}

}  // namespace fivebar_control
