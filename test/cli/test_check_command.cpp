// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/command_line.hpp"

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;
using testing::Not;

class CheckCommand : public CommandLineTest
{
protected:
  void make_plan_and_log() const
  {
    ASSERT_EQ(
      run({"plan", config + "curves/b_gentle.yaml", "--out", "b.plan.csv", "--quiet"}).exit_code,
      0);
    ASSERT_EQ(run({"run", "b.plan.csv", "--fast", "--log", "b.log.csv"}).exit_code, 0);
  }

  void expect_bad(const std::vector<std::string> & arguments, const std::string & message) const
  {
    std::vector<std::string> all = arguments;
    all.insert(all.begin(), "check");
    const Outcome outcome = run(all);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
};

const std::string robot = config + "robot.yaml";
const std::string unequal = config + "robots/unequal.yaml";

TEST_F(CheckCommand, KnowsEveryFileOfConfig)
{
  std::vector<std::string> arguments{"check"};
  for (const auto & entry : std::filesystem::recursive_directory_iterator(config))
  {
    if (entry.path().extension() == ".yaml")
    {
      arguments.push_back(entry.path().string());
    }
  }
  ASSERT_GE(arguments.size(), 20U);
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  for (const char * line :
       {"robot.yaml: robot 'five-bar with Quanser motors'\n",
        "curves/b.yaml: curve 'curve B', 5 s, 1001 nodes\n",
        "controller.yaml: controller file, kp 22.7 V/rad\n",
        "plants/mismatched.yaml: plant 'mismatched'\n",
        "hardware/serial.yaml: hardware file 'serial motor board'\n",
        "mechanisms/fivebar_springs.yaml: mechanism with 2 parameters and 1 cost\n",
        "/controllers.yaml: ROS 2 parameters of 3 nodes\n"})
  {
    EXPECT_THAT(outcome.out, HasSubstr(line));
  }
}

TEST_F(CheckCommand, TellsTheKindFromTheContentNotFromTheName)
{
  write("curve.csv", content_of(robot));
  write("robot.yaml", "t,u1,u4\n0,0,0\n2,1,1\n");
  write("plan", "schema: 1\nfaults:\n  - {fault: unplug, at: 1}\n");
  const Outcome outcome = run({"check", "curve.csv", "robot.yaml", "plan"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("curve.csv: robot 'five-bar"));
  EXPECT_THAT(outcome.out, HasSubstr("robot.yaml: voltages, 2 rows, 2 s\n"));
  EXPECT_THAT(outcome.out, HasSubstr("plan: fault script with 1 fault\n"));
}

TEST_F(CheckCommand, SaysWhetherPlanAndLogFitTheRobotAndEachOther)
{
  make_plan_and_log();
  const Outcome outcome = run({"check", "b.plan.csv", "b.log.csv", "--robot", robot});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(
    outcome.out,
    HasSubstr("b.plan.csv: plan of curve B, gentle, 1201 nodes, 6 s, fits " + robot + "\n"));
  EXPECT_THAT(outcome.out, HasSubstr("b.log.csv: run log of curve B, gentle, feedforward+pd on "));
  EXPECT_THAT(outcome.out, HasSubstr("finished, fits " + robot + ", a run of b.plan.csv\n"));
  // The only robot among the files counts without being named.
  EXPECT_THAT(run({"check", robot, "b.plan.csv"}).out, HasSubstr("6 s, fits " + robot + "\n"));
}

TEST_F(CheckCommand, RefusesPlanLogAndResponseOfAnotherRobot)
{
  make_plan_and_log();
  expect_bad({"b.plan.csv", "--robot", unequal}, "b.plan.csv: the plan was made for another robot");
  expect_bad({"b.plan.csv", unequal}, "b.plan.csv: the plan was made for another robot");
  expect_bad({"b.log.csv", "--robot", unequal}, "b.log.csv: made with another robot");
  write("in.csv", "t,u1,u4\n0,0,0\n0.1,0,0\n");
  ASSERT_EQ(run({"simulate", "--voltages", "in.csv", "--out", "out.csv"}).exit_code, 0);
  EXPECT_THAT(
    run({"check", "out.csv", "--robot", robot}).out, HasSubstr("2 rows, fits " + robot + "\n"));
  expect_bad({"out.csv", "--robot", unequal}, "out.csv: made with another robot");
}

/// One judgement: what `run` refuses `check` refuses in the same words, with files named or not.
TEST_F(CheckCommand, JudgesAPlanInTheVeryWordsOfRun)
{
  make_plan_and_log();
  const auto expect_same_refusal =
    [this](const std::string & plan, std::vector<std::string> options, const std::string & words) {
      options.insert(options.begin(), {"run", plan, "--fast"});
      const Outcome refused = run(options);
      options[0] = "check";
      options.erase(options.begin() + 2);
      const Outcome checked = run(options);
      EXPECT_EQ(refused.exit_code, 2) << words;
      EXPECT_EQ(checked.exit_code, 2) << words;
      EXPECT_THAT(refused.err, HasSubstr(words));
      EXPECT_EQ(checked.err, refused.err);
    };
  for (const auto & [limit, narrow, words] :
       {std::tuple("voltage: 10.0 ", "voltage: 0.4 ", "voltage u"),
        std::tuple("voltage_rate: 10000.0", "voltage_rate: 0.5", "voltage rate of u"),
        std::tuple("phi1: [-1.3, 2.3]", "phi1: [0.0, 2.3]", "angle phi1"),
        std::tuple("phi4: [0.0, 3.5] ", "phi4: [0.0, 1.6] ", "angle phi4"),
        std::tuple("joint_speed: 25.0", "joint_speed: 0.5", "speed dphi"),
        std::tuple(
          "\n  singularity_margin: 0.15", "\n  singularity_margin: 0.95", " singularity margin"),
        std::tuple(
          "serial_singularity_margin: 0.05", "serial_singularity_margin: 0.95",
          "serial singularity margin")})
  {
    std::string text = content_of(robot);
    ASSERT_NE(text.find(limit), std::string::npos) << limit;
    write("narrow.yaml", text.replace(text.find(limit), std::string(limit).size(), narrow));
    expect_same_refusal("b.plan.csv", {"--robot", "narrow.yaml"}, words);
    // The robot of this folder's config/ is the one that run takes where none is named.
    std::filesystem::create_directory(path("config"));
    write("config/robot.yaml", text);
    expect_same_refusal("b.plan.csv", {}, words);
    std::filesystem::remove_all(path("config"));
  }
  ASSERT_EQ(run({"learn", "b.plan.csv", "b.log.csv", "--out", "learned.csv"}).exit_code, 0);
  EXPECT_EQ(run({"check", "learned.csv"}).exit_code, 0);
  // What learning added is known to the observer, so that both take the plan.
  const std::string observing = config + "controller_tvlqr.yaml";
  EXPECT_EQ(run({"run", "learned.csv", "--fast", "--controller", observing}).exit_code, 0);
  EXPECT_EQ(run({"check", "learned.csv", "--controller", observing}).exit_code, 0);
}

TEST_F(CheckCommand, RefusesAPlanForARobotThatRunWouldNotTake)
{
  std::string text = content_of(robot);
  const std::string mass = "mass: 0.065";
  write("other.yaml", text.replace(text.find(mass), mass.size(), "mass: 0.075"));
  ASSERT_EQ(
    run({"plan", config + "curves/a_gentle.yaml", "--robot", "other.yaml", "--out", "other.csv"})
      .exit_code,
    0);
  EXPECT_EQ(run({"run", "other.csv", "--fast"}).exit_code, 2);
  expect_bad({"other.csv"}, "than 'fivebar run' would take");
  EXPECT_EQ(run({"check", "other.csv", "--robot", "other.yaml"}).exit_code, 0);
}

TEST_F(CheckCommand, RefusesALogThatIsNoRunOfThePlanItIsSaidToBe)
{
  make_plan_and_log();
  ASSERT_EQ(
    run({"plan", config + "curves/a_gentle.yaml", "--out", "a.plan.csv", "--quiet"}).exit_code, 0);
  expect_bad({"b.log.csv", "--plan", "a.plan.csv"}, "b.log.csv: ");
  EXPECT_EQ(run({"check", "b.log.csv", "--plan", "b.plan.csv"}).exit_code, 0);
  // A plan that merely lies beside it says nothing.
  const Outcome beside = run({"check", "b.log.csv", "a.plan.csv"});
  EXPECT_EQ(beside.exit_code, 0);
  EXPECT_THAT(beside.out, Not(HasSubstr("a run of")));
}

TEST_F(CheckCommand, RefusesHardwareThatCannotGiveTheRobotsVolts)
{
  std::string text = content_of(config + "hardware/serial.yaml");
  const std::string limit = "output_limit: 10.0";
  text.replace(text.find(limit), limit.size(), "output_limit: 5.00");
  write("weak.yaml", text);
  EXPECT_EQ(run({"check", "weak.yaml"}).exit_code, 0) << "the file itself is good";
  expect_bad({"weak.yaml", "--robot", robot}, "gives the motor at most 5 V");
  EXPECT_EQ(run({"check", config + "hardware/serial.yaml", "--robot", robot}).exit_code, 0);
}

TEST_F(CheckCommand, RefusesACurveThatTheRobotCannotReach)
{
  std::string text = content_of(config + "curves/b.yaml");
  const std::string center = "center: [0.127, 0.127]";
  text.replace(text.find(center), center.size(), "center: [1.127, 0.127]");
  write("far.yaml", text);
  EXPECT_EQ(run({"check", "far.yaml"}).exit_code, 0);
  expect_bad({"far.yaml", "--robot", robot}, "far.yaml: not within reach of ");
}

TEST_F(CheckCommand, ReportsEveryFileEvenIfTheFirstIsBad)
{
  std::string text = content_of(config + "curves/b.yaml");
  text.replace(text.find("time_step"), 9, "time_stpe");
  write("typo.yaml", text);
  write("broken.yaml", "a: [1\nb: 2\n");
  write("other.yaml", "some: thing\n");
  std::filesystem::create_directory(path("folder"));
  const Outcome outcome =
    run({"check", "typo.yaml", "broken.yaml", "other.yaml", "folder", "gone.yaml", robot});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(
    outcome.err,
    HasSubstr("fivebar: typo.yaml:12:1: unknown key 'time_stpe', did you mean 'time_step'?\n"));
  EXPECT_THAT(outcome.err, HasSubstr("fivebar: broken.yaml:"));
  EXPECT_THAT(outcome.err, HasSubstr("fivebar: other.yaml: not a file that fivebar knows"));
  EXPECT_THAT(outcome.err, HasSubstr("fivebar: folder: a folder, expected a file"));
  EXPECT_THAT(outcome.err, HasSubstr("fivebar: gone.yaml: cannot be read"));
  EXPECT_THAT(outcome.out, HasSubstr("robot 'five-bar"));
}

TEST_F(CheckCommand, FindsADamagedPlan)
{
  make_plan_and_log();
  std::string text = content_of(path("b.plan.csv"));
  write("cut.csv", text.substr(0, text.size() / 2));
  text[text.size() - 3] = text[text.size() - 3] == '1' ? '2' : '1';
  write("changed.csv", text);
  expect_bad({"cut.csv"}, "cut.csv: the plan is cut");
  expect_bad({"changed.csv"}, "changed.csv: the plan was changed");
}

TEST_F(CheckCommand, WritesItsFindingsAsJson)
{
  write("other.yaml", "some: thing\n");
  const Outcome outcome = run({"check", robot, "other.yaml", "--json", "-"});
  EXPECT_EQ(outcome.exit_code, 2);
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["good"], false);
  EXPECT_EQ(json["files"][0]["kind"], "robot");
  EXPECT_EQ(json["files"][0]["good"], true);
  EXPECT_EQ(json["files"][0]["error"], nullptr);
  EXPECT_EQ(json["files"][1]["good"], false);
  EXPECT_EQ(json["files"][1]["kind"], nullptr);
}

}  // namespace
}  // namespace fivebar_control::test
