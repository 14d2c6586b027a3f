// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "fivebar_control/report/report_data.hpp"
#include "model/robots.hpp"

namespace fivebar_control
{
namespace
{

using test::content_of;
using test::Outcome;
using testing::HasSubstr;

class ReportCommand : public test::ProgramTest
{
protected:
  void SetUp() override
  {
    ProgramTest::SetUp();
    run({"plan", test::config_path("curves/b_gentle.yaml"), "--out", path("b.csv"), "--quiet"});
    const Outcome outcome = run(
      {"run", path("b.csv"), "--fast", "--plant", test::config_path("plants/mismatched.yaml"),
       "--log", path("run.csv"), "--json", path("run.json")});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    log_ = content_of(path("run.csv"));
  }

  void expect_refusal(const std::vector<std::string> & logs, const std::string & message)
  {
    std::vector<std::string> arguments{"report", path("b.csv")};
    arguments.insert(arguments.end(), logs.begin(), logs.end());
    arguments.insert(arguments.end(), {"--out", path("out.html")});
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << message;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_FALSE(std::filesystem::exists(path("out.html"))) << message;
  }

  std::string log_;
};

}  // namespace

TEST_F(ReportCommand, WritesThePageAndPrintsItsPath)
{
  const Outcome outcome = run(
    {"report", path("b.csv"), path("run.csv"), "--timing", path("run.json"), "--out",
     path("out.html")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(path("out.html")));
  const std::string page = content_of(path("out.html"));
  EXPECT_LT(page.size(), 5000000u);
  EXPECT_THAT(page, HasSubstr("<section id=\"verdict\" class=\"good\">"));
}

TEST_F(ReportCommand, HasTheFiguresOfTheRun)
{
  const RunRecord record = load_run_record(path("run.csv"));
  const RunScore score = score_of(record, nullptr);
  const auto tracking = nlohmann::json::parse(content_of(path("run.json")))["tracking"];
  EXPECT_NEAR(score.to_plan.ise, tracking["ise"], 1e-9 * score.to_plan.ise);
  EXPECT_NEAR(score.to_plan.largest, tracking["largest_error"], 1e-9 * score.to_plan.largest);
  EXPECT_NEAR(score.feedback_rms, tracking["feedback_rms"], 1e-9);
  EXPECT_EQ(score.largest_volts, tracking["largest_volts"]);
  EXPECT_EQ(score.limited_cycles, tracking["limited_cycles"]);
  EXPECT_EQ(record.ended, "finished");
}

TEST_F(ReportCommand, RefusesWhatIsNoWholeLog)
{
  expect_refusal({path("missing.csv")}, "missing.csv: cannot be read");
  expect_refusal({write("empty.csv", "")}, "the file is empty");
  expect_refusal({path("b.csv")}, "b.csv: this is a plan, not a run log");
  expect_refusal({write("table.csv", "t,u1\n0,1\n")}, "table.csv:1: not a run log");
  expect_refusal({write("header.csv", log_.substr(0, 300))}, "the run log is cut: it ends before");
  expect_refusal(
    {write("cut.csv", log_.substr(0, log_.size() / 2))},
    "cut.csv: the run log is cut: it ends after");
  const std::size_t row = log_.find('\n', log_.size() / 2);
  const std::size_t next = log_.find('\n', row + 1);
  expect_refusal(
    {write("hole.csv", log_.substr(0, row) + log_.substr(next))}, "data rows are there");
  std::string flipped = log_;
  flipped[row + 5] = flipped[row + 5] == '5' ? '6' : '5';
  expect_refusal({write("flipped.csv", flipped)}, "the run log was changed after it was written");
  std::string swapped = log_;
  swapped.replace(swapped.find("phi1_measured,phi4_measured"), 27, "phi4_measured,phi1_measured");
  expect_refusal({write("swapped.csv", swapped)}, "the run log was changed after it was written");
}

TEST_F(ReportCommand, RefusesLogsOfAnotherPlan)
{
  run({"plan", test::config_path("curves/a_gentle.yaml"), "--out", path("a.csv"), "--quiet"});
  ASSERT_EQ(run({"run", path("a.csv"), "--fast", "--log", path("a_run.csv")}).exit_code, 0);
  expect_refusal(
    {path("run.csv"), path("a_run.csv")}, "a_run.csv: this run played 'curve A, gentle'");
  run(
    {"plan", test::config_path("curves/b_gentle.yaml"), "--voltage-limit", "1", "--out",
     path("b.csv"), "--quiet"});
  expect_refusal({path("run.csv")}, "run.csv: this run did not play");
}

TEST_F(ReportCommand, RefusesToReplaceItsSources)
{
  const Outcome outcome = run({"report", path("b.csv"), path("run.csv"), "--out", path("run.csv")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("is one of the files to report on"));
  EXPECT_EQ(content_of(path("run.csv")), log_);
}

TEST_F(ReportCommand, RefusesATimingThatIsNone)
{
  const Outcome outcome = run(
    {"report", path("b.csv"), path("run.csv"), "--timing", write("x.json", "{\"content\": 1}"),
     "--out", path("out.html")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("x.json: expected the JSON of a run"));
}

TEST_F(ReportCommand, CompareWritesAPageWithBothRuns)
{
  const Outcome outcome =
    run({"compare", path("b.csv"), "--plant", test::config_path("plants/mismatched.yaml")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr(path("b.report.html")));
  const std::string page = content_of(path("b.report.html"));
  EXPECT_THAT(page, HasSubstr("times less squared error than 'pd'"));
  EXPECT_THAT(page, HasSubstr("chart-volts-1-4"));
}

}  // namespace fivebar_control
