// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/support/csv_table.hpp"
#include "model/robots.hpp"

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;

/// The first 0.5 s of gentle curve B; `unequal` is made for another robot.
const Plan & short_plan()
{
  static const Plan plan = [] {
    Plan p =
      make_plan(default_robot(), load_plan_request(config_path("curves/b_gentle.yaml"))).plan;
    PlanSamples & s = p.samples;
    for (auto * column : {&s.t, &s.u1, &s.u4, &s.phi1, &s.phi4, &s.dphi1, &s.dphi4, &s.x, &s.y})
    {
      column->resize(101);
    }
    return p;
  }();
  return plan;
}

class RunCommand : public ProgramTest
{
protected:
  void SetUp() override
  {
    ProgramTest::SetUp();
    save_plan(short_plan(), path("plan.csv"));
  }

  /// Nothing but the named files (and the output of the program) lies in the folder.
  void expect_only(std::vector<std::string> names) const
  {
    names.insert(names.end(), {"plan.csv", "stdout.log", "stderr.log"});
    for (const auto & entry : std::filesystem::directory_iterator(path("")))
    {
      const std::string name = entry.path().filename().string();
      EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name << " was left behind";
    }
  }

  nlohmann::json json(const std::string & name) const
  {
    return nlohmann::json::parse(content_of(path(name)));
  }

  const std::string wrong_ = config_path("plants/mismatched.yaml");
};

TEST_F(RunCommand, PlaysAPlanAndReportsIt)
{
  const Outcome outcome =
    run({"run", "plan.csv", "--fast", "--plant", wrong_, "--log", "log.csv", "--json", "run.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("finished after 1.5"));
  EXPECT_EQ(outcome.err, "");
  expect_only({"log.csv", "run.json"});

  const nlohmann::json report = json("run.json");
  for (const char * key :
       {"schema", "content", "ended", "fault", "plan", "curve", "mode", "hardware", "rate",
        "cycles", "tracking", "timing", "realtime", "log"})
  {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  EXPECT_EQ(report["ended"], "finished");
  EXPECT_TRUE(report["fault"].is_null());
  EXPECT_EQ(report["log"]["rows"], report["cycles"]);
  EXPECT_EQ(report["log"]["lost_rows"], 0);
  EXPECT_GT(report["tracking"]["ise"], 0.0);

  const std::string text = content_of(path("log.csv"));
  const CsvTable table = parse_csv(text, "log.csv", {"t", "u1_applied", "phi1_measured", "state"});
  EXPECT_EQ(table.rows(), report["cycles"].get<std::size_t>());
}

TEST_F(RunCommand, FastGivesTheSameLogAsRealTimeToTheLastByte)
{
  const Outcome fast = run({"run", "plan.csv", "--fast", "--plant", wrong_, "--log", "fast.csv"});
  const Outcome real =
    run({"run", "plan.csv", "--plant", wrong_, "--log", "real.csv", "--json", "real.json"});
  EXPECT_EQ(fast.exit_code, 0);
  EXPECT_EQ(real.exit_code, 0) << real.err;
  EXPECT_EQ(content_of(path("fast.csv")), content_of(path("real.csv")));
  const nlohmann::json report = json("real.json");
  EXPECT_TRUE(report["timing"]["paced"]);
  for (const char * key : {"wake_up_ns", "cycle_time_ns", "work_ns"})
  {
    for (const char * figure : {"count", "min", "mean", "p50", "p99", "p99_9", "max"})
    {
      EXPECT_TRUE(report["timing"][key].contains(figure)) << key << figure;
    }
  }
  EXPECT_GE(report["timing"]["wake_up_ns"]["count"], 1500);
}

TEST_F(RunCommand, ModesDiffer)
{
  std::vector<double> feedback;
  for (const char * mode : {"feedforward+pd", "pd", "feedforward"})
  {
    EXPECT_EQ(
      run({"run", "plan.csv", "--fast", "--plant", wrong_, "--mode", mode, "--json", "j"})
        .exit_code,
      0);
    feedback.push_back(json("j")["tracking"]["feedback_rms"]);
  }
  EXPECT_GT(feedback[1], feedback[0]);
  EXPECT_EQ(feedback[2], 0.0);
}

TEST_F(RunCommand, RefusesAMissingPlan)
{
  const Outcome outcome = run({"run", "no.csv", "--fast", "--log", "log.csv"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no.csv"));
  expect_only({});
}

TEST_F(RunCommand, RefusesACorruptPlan)
{
  std::string text = content_of(path("plan.csv"));
  text[text.size() - 10] = text[text.size() - 10] == '1' ? '2' : '1';
  write("corrupt.csv", text);
  const Outcome changed = run({"run", "corrupt.csv", "--fast", "--log", "log.csv"});
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_THAT(changed.err, HasSubstr("corrupt.csv: the plan was changed"));
  write("corrupt.csv", text.substr(0, text.size() / 2));
  const Outcome cut = run({"run", "corrupt.csv", "--fast", "--log", "log.csv"});
  EXPECT_EQ(cut.exit_code, 2);
  EXPECT_THAT(cut.err, HasSubstr("cut"));
  expect_only({"corrupt.csv"});
}

TEST_F(RunCommand, RefusesAPlanForAnotherRobot)
{
  const Outcome outcome =
    run({"run", "plan.csv", "--fast", "--robot", config_path("robots/unequal.yaml"), "--log", "l"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("made for another robot"));
  expect_only({});
}

TEST_F(RunCommand, RefusesAPlanBeyondTheVoltageLimit)
{
  const Outcome outcome = run({"run", "plan.csv", "--fast", "--voltage-limit", "0.2"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the robot's limit is 0.2 V"));
}

TEST_F(RunCommand, RefusesABadRate)
{
  for (const char * rate : {"0", "-5", "fast", "1e9", "nan", "12Hz"})
  {
    const Outcome outcome = run({"run", "plan.csv", "--fast", "--rate", rate, "--log", "log.csv"});
    EXPECT_EQ(outcome.exit_code, 2) << rate;
    EXPECT_THAT(outcome.err, HasSubstr("--rate")) << rate;
    EXPECT_THAT(outcome.err, HasSubstr("50 to 20000 Hz")) << rate;
  }
  expect_only({});
}

TEST_F(RunCommand, RefusesAnUnwritableLogBeforeTheMotorsMove)
{
  for (const char * option : {"--log", "--json"})
  {
    const Outcome outcome = run({"run", "plan.csv", option, "nowhere/file"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("nowhere/file: cannot be written"));
    EXPECT_EQ(outcome.out, "");
  }
  expect_only({});
}

TEST_F(RunCommand, DoesNotOverwriteThePlanWithTheLog)
{
  const std::string before = content_of(path("plan.csv"));
  const Outcome outcome = run({"run", "plan.csv", "--fast", "--log", "./plan.csv"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("is the plan itself"));
  EXPECT_EQ(content_of(path("plan.csv")), before);
}

TEST_F(RunCommand, RefusesUnknownHardwareAndFiles)
{
  const Outcome hardware = run({"run", "plan.csv", "--hardware", "telepathy"});
  EXPECT_EQ(hardware.exit_code, 2);
  EXPECT_THAT(hardware.err, HasSubstr("'telepathy'"));
  const Outcome plant = run({"run", "plan.csv", "--plant", "no.yaml"});
  EXPECT_EQ(plant.exit_code, 2);
  EXPECT_THAT(plant.err, HasSubstr("no.yaml"));
  const Outcome mode = run({"run", "plan.csv", "--mode", "magic"});
  EXPECT_EQ(mode.exit_code, 2);
  EXPECT_THAT(mode.err, HasSubstr("feedforward+pd"));
}

TEST_F(RunCommand, RefusesToStartElsewhereAndAlignsIfAsked)
{
  write("away.yaml", "schema: 1\nname: away\nstart: {phi1: 0.2, phi4: 1.5}\n");
  const Outcome refused =
    run({"run", "plan.csv", "--fast", "--plant", "away.yaml", "--log", "log.csv", "--json", "j"});
  EXPECT_EQ(refused.exit_code, 5);
  EXPECT_THAT(refused.err, HasSubstr("not_at_start"));
  EXPECT_THAT(refused.err, HasSubstr("--align"));
  EXPECT_EQ(json("j")["ended"], "refused");
  EXPECT_EQ(json("j")["fault"]["reason"], "not_at_start");
  const Outcome aligned =
    run({"run", "plan.csv", "--fast", "--plant", "away.yaml", "--align", "--json", "j"});
  EXPECT_EQ(aligned.exit_code, 0) << aligned.err;
}

TEST_F(RunCommand, StopsWithCodeFiveWhenTheGuardDoes)
{
  // A plant whose dry friction holds the robot: the encoder does not move although it is driven.
  write("stuck.yaml", "schema: 1\nname: stuck\nfriction: {coulomb: 2.0, coulomb_velocity: 0.01}\n");
  const Outcome outcome = run(
    {"run", "plan.csv", "--fast", "--plant", "stuck.yaml", "--voltage-limit", "24", "--log",
     "log.csv", "--json", "j"});
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_THAT(outcome.err, HasSubstr("stopped by the guard"));
  const nlohmann::json report = json("j");
  EXPECT_EQ(report["ended"], "fault");
  EXPECT_EQ(report["log"]["rows"], report["cycles"]);
  EXPECT_THAT(content_of(path("log.csv")), HasSubstr("# ended: fault\n"));
}

TEST_F(RunCommand, ComparesBothModes)
{
  const Outcome outcome =
    run({"compare", "plan.csv", "plan.csv", "--plant", wrong_, "--robustness", "--json", "c.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("times less ISE"));
  const nlohmann::json report = json("c.json");
  ASSERT_EQ(report["plans"].size(), 2U);
  const nlohmann::json & first = report["plans"][0];
  EXPECT_DOUBLE_EQ(
    first["ise_ratio"],
    first["pd"]["ise"].get<double>() / first["feedforward_pd"]["ise"].get<double>());
  EXPECT_GT(first["ise_ratio"], 2.0);
  EXPECT_GE(
    first["robustness"]["score_feedforward_pd"].get<double>(),
    first["robustness"]["score_pd"].get<double>());
  EXPECT_EQ(report["plans"][1]["ise_ratio"], first["ise_ratio"]) << "deterministic";
}

}  // namespace
}  // namespace fivebar_control::test
