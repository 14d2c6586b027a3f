// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cli/command_line.hpp"

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;
using testing::StartsWith;

class StandardOutput : public CommandLineTest
{
protected:
  void SetUp() override
  {
    CommandLineTest::SetUp();
    const Outcome plan = run({"plan", curve, "--out", "b.csv", "--quiet"});
    ASSERT_EQ(plan.exit_code, 0) << plan.err;
    const Outcome log = run({"run", "b.csv", "--fast", "--log", "b.log.csv"});
    ASSERT_EQ(log.exit_code, 0) << log.err;
  }

  void expect_json(std::vector<std::string> arguments) const
  {
    arguments.insert(arguments.end(), {"--json", "-"});
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << arguments[0] << ": " << outcome.err;
    EXPECT_TRUE(nlohmann::json::accept(outcome.out)) << arguments[0] << ":\n" << outcome.out;
    EXPECT_FALSE(std::filesystem::exists(path("-"))) << arguments[0];
  }

  const std::string curve = config + "curves/b_gentle.yaml";
};

/// How every command with --json is called here.
const std::map<std::string, std::vector<std::string>> & calls()
{
  static const std::map<std::string, std::vector<std::string>> all{
    {"plan", {config + "curves/b_gentle.yaml", "--out", "c.csv"}},
    {"run", {"b.csv", "--fast"}},
    {"compare", {"b.csv", "--no-report"}},
    {"excite", {"--motions", "100", "--out", "e.csv"}},
    {"identify", {"b.log.csv", "--delay", "0", "--out", "robot.yaml"}},
    {"learn", {"b.csv", "b.log.csv", "--out", "better.csv"}},
    {"balance", {"--tilt", "-5", "-5", "--hold", "1"}},
    {"doctor", {"--duration", "0.2"}},
    {"gradient", {config + "curves/b.yaml"}},
    {"sensitivity", {config + "mechanisms/fivebar_springs.yaml", "--set", "duration=0.1"}},
    {"optimise", {config + "mechanisms/fivebar_springs.yaml", "--set", "duration=0.5"}},
    {"check", {"b.csv", config + "robot.yaml"}},
    {"soak", {"--fast", "--hours", "0.01"}},
    {"commission", {"--hardware", "sim"}},
    {"check-hardware",
     {"--hardware", "sim", "--turn-time", "0", "--pulse", "0", "--time", "0.1", "--priority",
      "0"}}};
  return all;
}

TEST_F(StandardOutput, TakesTheJsonOfEveryCommandAndNothingElse)
{
  for (const std::string & command : commands())
  {
    if (options(command).count("--json") == 0 || command == "verify")  // VerifyCommand has it
    {
      continue;
    }
    ASSERT_EQ(calls().count(command), 1U) << "no call of '" << command << "' to test it with";
    std::vector<std::string> arguments = calls().at(command);
    arguments.insert(arguments.begin(), command);
    expect_json(arguments);
  }
}

TEST_F(StandardOutput, LeavesWhatIsMeantForPeopleToStandardError)
{
  const Outcome outcome = run({"plan", curve, "--out", "c.csv", "--json", "-"});
  EXPECT_THAT(outcome.err, HasSubstr("largest error"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("largest error  ")));
}

TEST_F(StandardOutput, TakesOtherResultsToo)
{
  EXPECT_EQ(run({"plan", curve, "--out", "-"}).out, content_of(path("b.csv")));
  EXPECT_THAT(run({"describe", "--format", "mjcf", "--out", "-"}).out, StartsWith("<"));
  write("in.csv", "t,u1,u4\n0,0,0\n0.1,0,0\n");
  const Outcome simulate = run({"simulate", "--voltages", "in.csv", "--out", "-"});
  EXPECT_THAT(simulate.out, StartsWith("# schema: 2\n# content: response\n"));
  ASSERT_EQ(run({"run", "b.csv", "--fast", "--log", "log.csv"}).exit_code, 0);
  EXPECT_EQ(run({"run", "b.csv", "--fast", "--log", "-"}).out, content_of(path("log.csv")));
  EXPECT_THAT(run({"report", "b.csv", "--out", "-"}).out, StartsWith("<!"));
  EXPECT_THAT(run({"compare", "b.csv", "--report", "-"}).out, StartsWith("<!"));
}

TEST_F(StandardOutput, IsRefusedToASecondOutputOfTheSameCall)
{
  const Outcome outcome = run({"plan", curve, "--out", "-", "--json", "-"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("standard output is already taken by --"));
}

TEST_F(StandardOutput, IsRefusedToSeveralPlans)
{
  const Outcome outcome = run({"plan", curve, config + "curves/b.yaml", "--out", "-"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--out: several curves need a folder"));
}

TEST_F(StandardOutput, IsAppendedToAFileThatTheShellHasOpened)
{
  const std::string program = "'" FIVEBAR_PROGRAM "'";  // its path may have spaces
  for (const char * target : {"-", "/dev/stdout"})
  {
    write("all.txt", "before\n");
    const Outcome outcome = run_program(
      "sh", {"-c", program + " describe --format mjcf --out " + target + " >> all.txt"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(content_of(path("all.txt")), StartsWith("before\n<")) << target;
  }
}

TEST_F(StandardOutput, ReachesAProgramBehindAPipe)
{
  const std::string program = "'" FIVEBAR_PROGRAM "'";  // its path may have spaces
  const Outcome outcome = run_program(
    "sh", {"-c", program + " plan '" + curve + "' --out c.csv --json - 2> /dev/null | wc -l"});
  EXPECT_GT(std::stoi(outcome.out), 20);
}

}  // namespace
}  // namespace fivebar_control::test
