// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace fivebar_control::test
{
namespace
{

using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;

/// Rehearsals: the reference firmware in the program itself, in simulated time.
class CommissionCommand : public ProgramTest
{
protected:
  std::string plant(const std::string & yaml) const
  {
    return write("plant.yaml", "schema: 1\nname: test\n" + yaml + "\n");
  }
  nlohmann::json json(const std::string & name) const
  {
    return nlohmann::json::parse(content_of(path(name)));
  }
};

TEST_F(CommissionCommand, AHealthyRobotGetsItsStamp)
{
  const Outcome outcome = run(
    {"commission", "--hardware", "sim", "--plant", plant("friction: {coulomb: 0.01}"), "--stamp",
     path("stamp.json"), "--json", path("record.json")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("PASS: every step is done. Stamp: " + path("stamp.json")));
  EXPECT_TRUE(json("stamp.json")["complete"]);
  EXPECT_EQ(content_of(path("stamp.json")), content_of(path("record.json")));
}

TEST_F(CommissionCommand, AWrongRobotFailsAndLosesTheStampThatItHad)
{
  write("stamp.json", "old");
  const Outcome outcome = run(
    {"commission", "--hardware", "sim", "--plant", plant("wiring: {encoders: swapped}"), "--stamp",
     path("stamp.json")});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.out, HasSubstr("The encoders are exchanged"));
  EXPECT_THAT(outcome.out, HasSubstr("FAIL: correct what is named above"));
  EXPECT_FALSE(std::filesystem::exists(path("stamp.json")));
}

TEST_F(CommissionCommand, GoesOnWhereItStopped)
{
  const std::string progress = path("progress.json");
  const std::string broken = plant("wiring: {motor_1: inverted}");
  EXPECT_EQ(
    run({"commission", "--hardware", "sim", "--plant", broken, "--progress", progress}).exit_code,
    4);
  // The wires are exchanged, the calibration is the same.
  const Outcome outcome = run(
    {"commission", "--hardware", "sim", "--plant", plant("friction: {coulomb: 0.01}"), "--progress",
     progress, "--stamp", path("stamp.json")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("watchdog (")));  // was done
  EXPECT_THAT(outcome.out, ContainsRegex("pose \\(1 of"));          // before the links move again
  EXPECT_THAT(outcome.out, ContainsRegex("direction_1 \\(2 of"));
  EXPECT_TRUE(json("stamp.json")["complete"]);
  const Outcome over = run({"commission", "--hardware", "sim", "--progress", progress});
  EXPECT_EQ(over.exit_code, 0);
  EXPECT_THAT(over.out, HasSubstr("All steps were done"));
}

TEST_F(CommissionCommand, AStepCanBeRepeatedAlone)
{
  const Outcome outcome =
    run({"commission", "--hardware", "sim", "--step", "dead_band_4", "--json", path("r.json")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  const nlohmann::json steps = json("r.json")["steps"];
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0]["name"], "pose");
  EXPECT_EQ(steps[1]["name"], "dead_band_4");
  EXPECT_THAT(outcome.out, HasSubstr("no stamp yet"));
}

TEST_F(CommissionCommand, BadUsageIsRefusedBeforeAnythingIsOpened)
{
  Outcome outcome = run({"commission", "--hardware", "sim", "--step", "friction"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no step 'friction', expected one of: connection, pose"));
  outcome = run({"commission"});
  EXPECT_EQ(outcome.exit_code, 2);
  outcome = run({"commission", "--hardware", "mujoco"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("expected serial:DEVICE"));
  const std::string answers =
    write("answers.yaml", "schema: 1\nanswers: {direction_1.sen: 1 ccw}\n");
  outcome = run({"commission", "--hardware", "sim", "--answers", answers});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("direction_1.seen"));
  EXPECT_THAT(run({"commission", "--list"}).out, HasSubstr("end_stops"));
  outcome = run({"commission", "--hardware", "serial:nothing", "--progress", path("p.json")});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("no such device"));
}

TEST_F(CommissionCommand, TheCheckPassesAHealthyRobotAndNamesWhatIsWrongWithOthers)
{
  const auto check = [&](const std::string & yaml) {
    return run(
      {"check-hardware", "--hardware", "sim", "--plant", plant(yaml), "--time", "0.5", "--json",
       path("check.json")});
  };
  Outcome outcome = check("friction: {coulomb: 0.01}");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, EndsWith("PASS\n"));
  EXPECT_TRUE(json("check.json")["passed"]);
  outcome = check("wiring: {motor_4: inverted, encoder_4: inverted}");
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.out, HasSubstr("Encoder 4 is inverted"));
  EXPECT_THAT(std::string(json("check.json")["faults"][0]), HasSubstr("Encoder 4 is inverted"));
  outcome = check("wiring: {motors: swapped, encoders: swapped}");
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.out, HasSubstr("The encoders are exchanged"));
  outcome = check("encoder: {counts_factor: 0.5}");
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.out, HasSubstr("counts_per_revolution: 2048"));
}

TEST_F(CommissionCommand, TheCheckNeedsEyesOrAStamp)
{
  const std::vector<std::string> call{
    "check-hardware", "--hardware", "sim",     "--time",          "0.5",
    "--turn-time",    "0",          "--stamp", path("stamp.json")};
  Outcome outcome = run(call);
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.out, HasSubstr("A mirrored joint or exchanged pairs"));
  EXPECT_EQ(run({"commission", "--hardware", "sim", "--stamp", path("stamp.json")}).exit_code, 0);
  outcome = run(call);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("seen at the commissioning"));
}

}  // namespace
}  // namespace fivebar_control::test
