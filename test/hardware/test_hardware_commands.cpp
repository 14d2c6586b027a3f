// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>

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

/// A board that waits for its host, so that nothing here depends on how busy the machine is.
EmulatorOptions in_lock_step(const std::string & link)
{
  EmulatorOptions options{link};
  options.lock_step_ns = 1'000'000;
  return options;
}

std::string lock_step_calibration()
{
  std::string text = content_of(FIVEBAR_SOURCE_DIR "/config/hardware/serial.yaml");
  const std::size_t found = text.find("\nserial:\n");
  return text.replace(found, 9, "\nserial:\n  lock_step: true\n");
}

/// The whole way: program, serial line, firmware, calibration; then the stamp opens the way for a
/// run, and for that calibration only.
TEST_F(HardwareCommands, ACommissioningThroughTheSerialLineLeavesTheStampThatRunDemands)
{
  EmulatorOptions options = in_lock_step(path("ROBOT"));
  Fault stop;
  stop.kind = FaultKind::emergency_stop;
  stop.at = 0.3;  // after the first arming, which is the step about it
  stop.duration = 0.5;
  options.faults = {stop};
  const std::string calibration = write("serial.yaml", lock_step_calibration());
  const std::string hardware = "serial:" + path("ROBOT");
  {
    BoardThread board(options);
    const Outcome outcome = run(
      {"commission", "--hardware", hardware, "--calibration", calibration, "--answers",
       write("answers.yaml", all_is_right), "--stamp", path("stamp.json"), "--progress",
       path("progress.json")});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("Stamp: " + path("stamp.json")));
    EXPECT_LE(board.board().truth().volts, 1.5);
    EXPECT_LE(board.board().truth().speed, 2.5);
  }
  const auto stamp = nlohmann::json::parse(content_of(path("stamp.json")));
  EXPECT_TRUE(stamp["complete"]);
  EXPECT_THAT(std::string(stamp["board"]), HasSubstr("watchdog 48 ms, full scale 24000 mV"));

  run({"plan", FIVEBAR_SOURCE_DIR "/config/curves/b_gentle.yaml", "--out", path("plan.csv")});
  std::vector<std::string> call{"run",           path("plan.csv"), "--hardware", hardware,
                                "--calibration", calibration,      "--stamp",    path("stamp.json"),
                                "--homed",       "--align",        "--fast",     "--json",
                                path("run.json")};
  {
    BoardThread board(in_lock_step(path("ROBOT")));
    const Outcome outcome = run(call);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto report = nlohmann::json::parse(content_of(path("run.json")));
    EXPECT_EQ(report["commissioning"]["state"], "commissioned");
  }
  std::string changed = lock_step_calibration();
  const std::string counts = "counts_per_revolution: 4096";
  changed.replace(changed.find(counts), counts.size(), "counts_per_revolution: 2048");
  write("serial.yaml", changed);
  BoardThread board(in_lock_step(path("ROBOT")));
  const Outcome outcome = run(call);
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_THAT(outcome.err, HasSubstr("the calibration has changed since the commissioning"));
  EXPECT_FALSE(board.board().is_armed());
}

TEST_F(HardwareCommands, AnInterruptedCommissioningKeepsWhatWasDone)
{
  BoardThread board(in_lock_step(path("ROBOT")));
  const std::string hardware = "serial:" + path("ROBOT");
  const std::string calibration = write("serial.yaml", lock_step_calibration());
  const std::string out = path("out.log");
  int input[2] = {-1, -1};
  ASSERT_EQ(pipe(input), 0);  // nobody ever writes to it
  const pid_t child = fork();
  if (child == 0)
  {
    dup2(input[0], STDIN_FILENO);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    execl(
      FIVEBAR_PROGRAM, "fivebar", "commission", "--hardware", hardware.c_str(), "--calibration",
      calibration.c_str(), "--stamp", path("stamp.json").c_str(), "--progress",
      path("progress.json").c_str(), nullptr);
    _exit(127);
  }
  for (int i = 0; i < 6000 && content_of(out).find("Are they there?") == std::string::npos; ++i)
  {
    sleep_ms(10);
  }
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  close(input[0]);
  close(input[1]);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_THAT(content_of(out), HasSubstr("Interrupted: the motors have zero volts"));
  const auto progress = nlohmann::json::parse(content_of(path("progress.json")));
  ASSERT_EQ(progress["steps"].size(), 1U);
  EXPECT_EQ(progress["steps"][0]["name"], "connection");
  EXPECT_FALSE(progress["complete"]);
}

TEST_F(HardwareCommands, RealMotorsAreNotDrivenWithoutAStamp)
{
  run({"plan", FIVEBAR_SOURCE_DIR "/config/curves/b_gentle.yaml", "--out", path("plan.csv")});
  const std::string calibration = write("serial.yaml", lock_step_calibration());
  BoardThread board(in_lock_step(path("ROBOT")));
  const std::vector<std::string> call{
    "run",           path("plan.csv"), "--hardware", "serial:" + path("ROBOT"),
    "--calibration", calibration,      "--stamp",    path("stamp.json"),
    "--homed",       "--align",        "--fast",     "--json",
    path("run.json")};
  Outcome outcome = run(call);
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_THAT(outcome.err, HasSubstr("not started: there is no stamp " + path("stamp.json")));
  EXPECT_THAT(outcome.err, HasSubstr("fivebar commission --hardware serial:"));
  EXPECT_FALSE(board.board().is_armed());

  std::vector<std::string> loud = call;
  loud.push_back("--uncommissioned");
  outcome = run(loud);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("!!! UNCOMMISSIONED !!!"));
  EXPECT_EQ(
    nlohmann::json::parse(content_of(path("run.json")))["commissioning"]["state"], "ignored");
}

TEST_F(HardwareCommands, TheCheckFailsWhenAnEncoderStandsStill)
{
  EmulatorOptions options = in_lock_step(path("ROBOT"));
  Fault frozen;
  frozen.kind = FaultKind::freeze_encoder;
  frozen.since_start = true;
  frozen.joint = 1;
  options.faults = {frozen};
  BoardThread board(options);
  const Outcome outcome = run(
    {"check-hardware", "--hardware", "serial:" + path("ROBOT"), "--calibration",
     write("serial.yaml", lock_step_calibration()), "--time", "0.2", "--turn-time", "0"});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.out, testing::ContainsRegex("motor 4, 1.50 V pulses .* FAIL"));
  EXPECT_THAT(outcome.out, testing::EndsWith("FAIL\n"));
}

TEST_F(HardwareCommands, TheCheckSaysWhatStoppedAPulse)
{
  EmulatorOptions options = in_lock_step(path("ROBOT"));
  Fault over_current;
  over_current.kind = FaultKind::over_current;
  over_current.at = 0.4;  // after the first arming, which is for the watchdog: in a pulse
  options.faults = {over_current};
  BoardThread board(options);
  const Outcome outcome = run(
    {"check-hardware", "--hardware", "serial:" + path("ROBOT"), "--calibration",
     write("serial.yaml", lock_step_calibration()), "--time", "0.2", "--turn-time", "0"});
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
