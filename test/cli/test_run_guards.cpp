// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "fivebar_control/support/text_file.hpp"
#include "model/robots.hpp"

// What `fivebar run` and `fivebar plan` say about guards, files and plans that nobody should play.

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;

class RunGuards : public ProgramTest
{
protected:
  void plan(const std::string & curve = "b_gentle") const
  {
    const Outcome outcome =
      run({"plan", config_path("curves/" + curve + ".yaml"), "--out", "plan.csv", "--quiet"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  nlohmann::json json(const std::string & name) const
  {
    return nlohmann::json::parse(content_of(path(name)));
  }
  std::string controller_with(const std::string & from, const std::string & to) const
  {
    std::string text = read_text_file(config_path("controller.yaml"), 100000);
    text.replace(text.find(from), from.size(), to);
    return text;
  }
};

TEST_F(RunGuards, AnInvertedMotorIsStoppedAndItsTrueMotionTold)
{
  plan();
  write("plant.yaml", "schema: 1\nwiring: {motor_1: inverted}\n");
  const Outcome outcome =
    run({"run", "plan.csv", "--plant", "plant.yaml", "--fast", "--json", "run.json"});
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_THAT(outcome.err, HasSubstr("[implausible_motion]"));
  const nlohmann::json report = json("run.json");
  EXPECT_EQ(report["fault"]["reason"], "implausible_motion");
  EXPECT_EQ(report["fault"]["joint"], 1);
  EXPECT_LT(report["truth"]["peak_error"].get<double>(), 0.25);
  EXPECT_LT(report["truth"]["peak_speed"].get<double>(), 6.0);
  EXPECT_GT(report["truth"]["peak_volts"].get<double>(), 0.5);
  EXPECT_FALSE(report["truth"]["into_singularity"].get<bool>());
}

TEST_F(RunGuards, GuardsThatAreSwitchedOffAreShoutedAndRecorded)
{
  plan();
  write("c.yaml", controller_with("guard:", "guard:\n  switched_off: [chatter, saturation]"));
  const Outcome outcome = run(
    {"run", "plan.csv", "--controller", "c.yaml", "--fast", "--json", "run.json", "--log",
     "log.csv"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("WARNING: the guard does not watch for chatter"));
  EXPECT_THAT(outcome.out, HasSubstr("SWITCHED OFF   saturation, chatter"));
  const nlohmann::json report = json("run.json");
  EXPECT_EQ(report["guard"]["switched_off"], (std::vector<std::string>{"saturation", "chatter"}));
  EXPECT_EQ(report["guard"]["following_band"], 0.12);
  EXPECT_EQ(report["files"]["controller"], "c.yaml");
  EXPECT_THAT(content_of(path("log.csv")), HasSubstr("switched_off: [saturation, chatter]"));
}

/// Numbers that the file may have, but that this robot can never reach.
TEST_F(RunGuards, AGuardIsNotSwitchedOffByANumberThatTheRobotNeverReaches)
{
  plan();
  for (const auto & [from, to, words] :
       {std::tuple("motor_current: 1.0", "motor_current: 20.0", "never comes to more than 3.846 A"),
        std::tuple("frozen_voltage: 1.5", "frozen_voltage: 12.0", "switch encoder_frozen off"),
        std::tuple(
          "unexplained_voltage: 0.6", "unexplained_voltage: 14.0",
          "'switched_off: "
          "[implausible_motion]'"),
        std::tuple("scale_voltage: 0.3", "scale_voltage: 11.0", "switch implausible_scale off")})
  {
    const std::string text = controller_with(from, to);
    ASSERT_NE(text.find(to), std::string::npos) << from;
    write("c.yaml", text);
    const Outcome refused = run({"run", "plan.csv", "--controller", "c.yaml", "--fast"});
    EXPECT_EQ(refused.exit_code, 2) << to;
    EXPECT_THAT(refused.err, HasSubstr(words));
    // A careful first run lowers the robot's limit: that takes nothing away.
    EXPECT_EQ(run({"run", "plan.csv", "--voltage-limit", "1.4", "--fast"}).exit_code, 0);
  }
}

TEST_F(RunGuards, AFileOfTheCurrentFolderIsAnnounced)
{
  plan();
  std::filesystem::create_directories(path("config"));
  write("config/controller.yaml", controller_with("kp: 22.7", "kp: 20.0"));
  const Outcome outcome = run({"run", "plan.csv", "--fast"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("config/controller.yaml of the current folder is used"));
}

TEST_F(RunGuards, AFileOfTheCurrentFolderChoosesNoLibrary)
{
  plan();
  std::filesystem::create_directories(path("config/hardware"));
  std::string text = read_text_file(config_path("hardware/hil.yaml"), 100000);
  const std::size_t at = text.find("hil:");
  ASSERT_NE(at, std::string::npos);
  text.resize(at);
  write("config/hardware/hil.yaml", text + "hil: {library: ./evil.so}\n");
  const Outcome outcome = run({"run", "plan.csv", "--hardware", "hil:qube"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("does not choose a library to load"));
}

TEST_F(RunGuards, OtherFilesThanPlansAreCalledByTheirName)
{
  plan();
  ASSERT_EQ(run({"run", "plan.csv", "--fast", "--log", "log.csv"}).exit_code, 0);
  const Outcome curve = run({"run", config_path("curves/a.yaml"), "--fast"});
  EXPECT_EQ(curve.exit_code, 2);
  EXPECT_THAT(curve.err, HasSubstr("this is a curve, not a plan: plan it first"));
  const Outcome log = run({"run", "log.csv", "--fast"});
  EXPECT_EQ(log.exit_code, 2);
  EXPECT_THAT(log.err, HasSubstr("this is a run log, not a plan"));
}

TEST_F(RunGuards, LogAndJsonAreNotTheSameFile)
{
  plan();
  const Outcome outcome = run({"run", "plan.csv", "--fast", "--log", "x", "--json", "./x"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("is already the log"));
}

TEST_F(RunGuards, APlanThatMissesItsCurveIsWrittenButNotCalledDone)
{
  std::string text = read_text_file(config_path("curves/c.yaml"), 100000);
  const std::string accuracy = "accuracy: 0.02";
  ASSERT_NE(text.find(accuracy), std::string::npos);
  text.replace(text.find(accuracy), accuracy.size(), "accuracy: 0.01");
  write("c.yaml", text);
  const Outcome outcome = run({"plan", "c.yaml", "--out", "c.csv", "--quiet"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("the plan misses its curve by 17.99 mm"));
  EXPECT_TRUE(std::filesystem::exists(path("c.csv")));
}

TEST_F(RunGuards, APlanThatRunWouldRefuseIsRefusedByPlan)
{
  std::string text = read_text_file(config_path("robot.yaml"), 100000);
  const std::string speed = "joint_speed: 25.0";
  text.replace(text.find(speed), speed.size(), "joint_speed: 0.5");
  write("robot.yaml", text);
  const Outcome outcome =
    run({"plan", config_path("curves/b.yaml"), "--robot", "robot.yaml", "--out", "b.csv"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("'fivebar run' would refuse it"));
  EXPECT_THAT(outcome.err, HasSubstr("speed dphi"));
  EXPECT_FALSE(std::filesystem::exists(path("b.csv")));
}

}  // namespace
}  // namespace fivebar_control::test
