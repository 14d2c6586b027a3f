// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/program.hpp"
#include "hardware/emulation.hpp"

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;

class HardwareCommands : public ProgramTest
{
};

/// What a commissioning without eyes is told: that everything was seen to be right.
constexpr const char * all_is_right =
  "schema: 1\nanswers: {pose.ready: yes, emergency_stop.released: yes, direction_1.seen: 1 ccw, "
  "direction_4.seen: 4 ccw, end_stops.present: none}\n";

/// The machine did not let the program run for longer than the board's watchdog waits, or not in
/// time to see the watchdog; by what the record itself says.
bool was_held_up(const nlohmann::json & record)
{
  for (const auto & step : record["steps"])
  {
    for (const std::string fault : step["faults"])
    {
      if (fault.find("stopped driving: watchdog") != std::string::npos)
      {
        return true;
      }
    }
    for (const auto & m : step["measurements"])
    {
      const bool late = m["name"] == "watchdog, after silence of ours" && m["value"] > 0.055;
      // Volts that wait for the machine are a delay, and spoil the motion that is fitted.
      const bool disturbed = step["name"].get<std::string>().find("response") == 0 && !m["passed"];
      if (late || disturbed)
      {
        return true;
      }
    }
  }
  return false;
}

/// The whole path: serial line, firmware, calibration. Round trips are the machine's here, so that
/// the step about them is left out; a commissioning that the machine held up is resumed, which is
/// what people would do.
TEST_F(HardwareCommands, CommissioningGoesThroughTheSerialLineAndIsResumed)
{
  EmulatorOptions options{path("ROBOT")};
  Fault stop;
  stop.kind = FaultKind::emergency_stop;
  stop.at = 0.3;  // after the first arming, which is the step about it
  stop.duration = 0.5;
  options.faults = {stop};
  BoardThread board(options);
  const std::string answers = write("answers.yaml", all_is_right);
  const std::vector<std::string> call{
    "commission",
    "--hardware",
    "serial:" + path("ROBOT"),
    "--answers",
    answers,
    "--stamp",
    path("stamp.json"),
    "--progress",
    path("progress.json"),
    "--json",
    path("record.json")};
  std::vector<std::string> first = call;
  first.insert(first.end(), {"--from", "emergency_stop"});
  Outcome outcome = run(first);
  nlohmann::json record = nlohmann::json::parse(content_of(path("record.json")));
  for (int i = 0; i < 20 && outcome.exit_code != 0 && was_held_up(record); ++i)
  {
    const std::string failed = record["steps"].back()["name"];
    std::cout << "resumed at " << failed << "\n";
    std::vector<std::string> again = call;
    again.insert(again.end(), {"--from", failed});
    outcome = run(again);
    record = nlohmann::json::parse(content_of(path("record.json")));
  }
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  std::set<std::string> passed;
  for (const auto & step : record["steps"])
  {
    if (step["result"] == "passed")
    {
      passed.insert(step["name"].get<std::string>());
    }
  }
  for (const char * name :
       {"pose", "emergency_stop", "watchdog", "direction_1", "direction_4", "dead_band_1",
        "dead_band_4", "response_1", "response_4"})
  {
    EXPECT_EQ(passed.count(name), 1U) << name << "\n" << outcome.out;
  }
  EXPECT_FALSE(std::filesystem::exists(path("stamp.json"))) << "the connection was not tried";
}

TEST_F(HardwareCommands, RealMotorsAreNotDrivenWithoutAStamp)
{
  run({"plan", FIVEBAR_SOURCE_DIR "/config/curves/b_gentle.yaml", "--out", path("plan.csv")});
  BoardThread board({path("ROBOT")});
  const std::vector<std::string> call{
    "run",     path("plan.csv"),   "--hardware", "serial:" + path("ROBOT"),
    "--stamp", path("stamp.json"), "--json",     path("run.json")};
  Outcome outcome = run(call);
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_THAT(outcome.err, HasSubstr("not started: there is no stamp " + path("stamp.json")));
  EXPECT_THAT(outcome.err, HasSubstr("fivebar commission --hardware serial:"));
  EXPECT_FALSE(board.board().is_armed());

  std::vector<std::string> loud = call;
  loud.push_back("--uncommissioned");
  outcome = run(loud);
  EXPECT_THAT(outcome.err, HasSubstr("!!! UNCOMMISSIONED !!!"));
  EXPECT_EQ(
    nlohmann::json::parse(content_of(path("run.json")))["commissioning"]["state"], "ignored");
}

TEST_F(HardwareCommands, TheCheckFailsWhenAnEncoderStandsStill)
{
  EmulatorOptions options{path("ROBOT")};
  Fault frozen;
  frozen.kind = FaultKind::freeze_encoder;
  frozen.since_start = true;
  frozen.joint = 1;
  options.faults = {frozen};
  BoardThread board(options);
  const Outcome outcome = run(
    {"check-hardware", "--hardware", "serial:" + path("ROBOT"), "--time", "0.2", "--turn-time",
     "0"});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.out, testing::ContainsRegex("motor 4, 1.50 V pulses .* FAIL"));
  EXPECT_THAT(outcome.out, testing::EndsWith("FAIL\n"));
}

TEST_F(HardwareCommands, TheCheckSaysWhatStoppedAPulse)
{
  EmulatorOptions options{path("ROBOT")};
  Fault over_current;
  over_current.kind = FaultKind::over_current;
  over_current.at = 0.05;  // after arming, in the first pulse
  options.faults = {over_current};
  BoardThread board(options);
  const Outcome outcome = run(
    {"check-hardware", "--hardware", "serial:" + path("ROBOT"), "--time", "0.2", "--turn-time",
     "0"});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.out, HasSubstr("the device stopped driving: over-current"));
}

TEST_F(HardwareCommands, TheCheckSaysThatThereIsNoDevice)
{
  const Outcome outcome = run({"check-hardware", "--hardware", "serial:nothing"});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.out, HasSubstr("no such device"));
}

TEST_F(HardwareCommands, TheEmulatorRemovesItsLinkAndLeavesOtherFilesAlone)
{
  const Outcome outcome =
    run({"emulate", "--link", path("ROBOT"), "--duration", "0.2", "--log", path("log.csv")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(path("ROBOT"))));
  EXPECT_THAT(
    content_of(path("log.csv")), HasSubstr("t,volts1,volts4,event\n0.000000,0,0,started"));
  write("file", "precious");
  EXPECT_EQ(run({"emulate", "--link", path("file"), "--duration", "0.2"}).exit_code, 2);
  EXPECT_EQ(content_of(path("file")), "precious");
}

TEST_F(HardwareCommands, AFaultScriptIsReadStrictly)
{
  const std::string script = write("faults.yaml", "schema: 1\nfaults: [{at: 1, fault: loose}]\n");
  const Outcome outcome = run({"emulate", "--link", path("ROBOT"), "--faults", script});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("faults.yaml:2"));
  EXPECT_THAT(outcome.err, HasSubstr("lose"));
}

TEST_F(HardwareCommands, AnUnknownBackendIsRefusedWithTheKnownOnes)
{
  run({"plan", FIVEBAR_SOURCE_DIR "/config/curves/b.yaml", "--out", path("plan.csv")});
  Outcome outcome = run({"run", path("plan.csv"), "--hardware", "parallel:1"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("serial:DEVICE"));
  outcome = run({"run", path("plan.csv"), "--hardware", "serial:"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("names no device"));
}

}  // namespace
}  // namespace fivebar_control::test
