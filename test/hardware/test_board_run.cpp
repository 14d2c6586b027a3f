// SPDX-License-Identifier: Apache-2.0
// `fivebar run --play board` through a pseudo-terminal: the whole program against the emulated
// board.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/program.hpp"
#include "fivebar_control/runs/run_record.hpp"
#include "hardware/emulation.hpp"

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;

class BoardRun : public ProgramTest
{
protected:
  void SetUp() override
  {
    ProgramTest::SetUp();
    setenv("FIVEBAR_STATE_DIR", path("state").c_str(), 1);
    std::string calibration = content_of(FIVEBAR_SOURCE_DIR "/config/hardware/serial.yaml");
    calibration += "  lock_step: true\n";
    write("lock_step.yaml", calibration);
    ASSERT_EQ(run({"plan", curve(), "--out", path("plan.csv"), "--quiet"}).exit_code, 0);
  }

  static std::string curve() { return FIVEBAR_SOURCE_DIR "/test/hardware/lively.yaml"; }
  static std::string plant() { return FIVEBAR_SOURCE_DIR "/config/plants/mismatched.yaml"; }

  EmulatorOptions emulator(const std::string & faults = "") const
  {
    EmulatorOptions options{path("ROBOT")};
    if (!faults.empty())
    {
      options.faults = parse_faults("schema: 1\nfaults: [" + faults + "]\n", "script");
    }
    return options;
  }

  std::vector<std::string> arguments(
    const std::string & name, const std::vector<std::string> & more) const
  {
    std::vector<std::string> all = {
      "run",
      path("plan.csv"),
      "--hardware",
      "serial:" + path("ROBOT"),
      "--homed",
      "--align",
      "--uncommissioned",
      "--log",
      path(name + ".csv"),
      "--json",
      path(name + ".json")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  Outcome play_in_lock_step(const std::string & name, std::vector<std::string> more)
  {
    more.insert(more.end(), {"--fast", "--calibration", path("lock_step.yaml")});
    return run(arguments(name, more));
  }

  nlohmann::json report(const std::string & name) const
  {
    return nlohmann::json::parse(content_of(path(name + ".json")));
  }

  pid_t start(const std::vector<std::string> & all) const
  {
    std::vector<char *> pointers = {const_cast<char *>("fivebar")};
    for (const std::string & argument : all)
    {
      pointers.push_back(const_cast<char *>(argument.c_str()));
    }
    pointers.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0)
    {
      const int log = open(path("host.log").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(log, STDOUT_FILENO);
      dup2(log, STDERR_FILENO);
      execv(FIVEBAR_PROGRAM, pointers.data());
      _exit(127);
    }
    return child;
  }

  static int wait_for(pid_t child)
  {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

PlantParameters mismatched()
{
  return load_plant(FIVEBAR_SOURCE_DIR "/config/plants/mismatched.yaml");
}

std::string first_line_of_data(const std::string & text)
{
  std::istringstream stream(text);
  std::string line;
  while (std::getline(stream, line) && line.starts_with("#"))
  {
  }
  return line;
}

TEST_F(BoardRun, LeavesTheSameLogWhoeverPlays)
{
  EmulatorOptions options = emulator();
  options.lock_step_ns = 1'000'000;
  {
    const BoardThread board(options, mismatched());
    const Outcome outcome = play_in_lock_step("host", {});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  {
    const BoardThread board(options, mismatched());
    const Outcome outcome = play_in_lock_step("board", {"--play", "board"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("played by itself"));
  }
  const auto host = report("host"), board = report("board");
  EXPECT_EQ(host["played_by"], "host");
  EXPECT_EQ(board["played_by"], "board");
  EXPECT_EQ(board["board"]["lost_cycles"], 0);
  EXPECT_EQ(host["cycles"], board["cycles"]);
  const double ratio =
    board["tracking"]["ise"].get<double>() / host["tracking"]["ise"].get<double>();
  EXPECT_NEAR(ratio, 1.0, 0.05);
  EXPECT_EQ(
    first_line_of_data(content_of(path("host.csv"))),
    first_line_of_data(content_of(path("board.csv"))));
  const Outcome page =
    run({"report", path("plan.csv"), path("board.csv"), "--out", path("page.html")});
  EXPECT_EQ(page.exit_code, 0) << page.err;
}

TEST_F(BoardRun, AHostThatIsStoppedForAWhileIsNoFault)
{
  EmulatorOptions options = emulator();
  options.own_clock = true;
  BoardThread board(options, mismatched());
  const pid_t host = start(arguments("run", {"--play", "board"}));
  for (int i = 0; i < 20000 && !board.board().is_armed(); ++i)
  {
    sleep_ms(1);
  }
  ASSERT_TRUE(board.board().is_armed());
  sleep_ms(100);
  kill(host, SIGSTOP);
  sleep_ms(200);
  kill(host, SIGCONT);
  ASSERT_EQ(wait_for(host), 0) << content_of(path("host.log"));
  const Outcome simulated = run(
    {"run", path("plan.csv"), "--plant", plant(), "--fast", "--align", "--json", path("sim.json")});
  ASSERT_EQ(simulated.exit_code, 0) << simulated.err;
  const auto json = report("run");
  EXPECT_GE(json["board"]["longest_host_gap_ns"], 150'000'000);
  const double ratio =
    json["tracking"]["ise"].get<double>() / report("sim")["tracking"]["ise"].get<double>();
  EXPECT_NEAR(ratio, 1.0, 0.05);
}

TEST_F(BoardRun, AHostThatIsGoneLeavesASmoothStop)
{
  EmulatorOptions options = emulator();
  options.own_clock = true;
  BoardThread board(options, mismatched());
  const pid_t host = start(arguments("run", {"--play", "board"}));
  for (int i = 0; i < 20000 && !board.board().is_armed(); ++i)
  {
    sleep_ms(1);
  }
  sleep_ms(150);
  kill(host, SIGKILL);
  EXPECT_EQ(wait_for(host), -1);
  for (int i = 0; i < 10000 && board.board().is_armed(); ++i)
  {
    sleep_ms(1);
  }
  board.stop();
  EXPECT_FALSE(board.board().is_armed());
  EXPECT_TRUE(board.board().robot().volts().isZero(0.0));
  EXPECT_LT(board.board().robot().plant().state().tail<2>().cwiseAbs().maxCoeff(), 0.1);
}

TEST_F(BoardRun, AnInterruptStopsSmoothly)
{
  EmulatorOptions options = emulator();
  options.own_clock = true;
  BoardThread board(options, mismatched());
  const pid_t host = start(arguments("run", {"--play", "board"}));
  for (int i = 0; i < 20000 && !board.board().is_armed(); ++i)
  {
    sleep_ms(1);
  }
  sleep_ms(100);
  kill(host, SIGINT);
  EXPECT_EQ(wait_for(host), 130) << content_of(path("host.log"));
  EXPECT_THAT(content_of(path("host.log")), HasSubstr("stopped on request"));
}

TEST_F(BoardRun, ABoardThatRebootsIsAHardwareFault)
{
  EmulatorOptions options = emulator("{at: 0.1, fault: reboot}");
  options.own_clock = true;
  BoardThread board(options, mismatched());
  const Outcome outcome = run(arguments("run", {"--play", "board"}));
  EXPECT_EQ(outcome.exit_code, 4) << outcome.err;
  EXPECT_FALSE(report("run")["fault"].is_null());
}

TEST_F(BoardRun, TheEmergencyStopIsNamed)
{
  EmulatorOptions options = emulator("{at: 0.1, fault: emergency_stop}");
  options.own_clock = true;
  BoardThread board(options, mismatched());
  const Outcome outcome = run(arguments("run", {"--play", "board"}));
  EXPECT_EQ(outcome.exit_code, 4) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("emergency stop"));
  EXPECT_EQ(report("run")["fault"]["reason"], "device_fault");
}

TEST_F(BoardRun, SaysWhatABoardCannotDo)
{
  EmulatorOptions options = emulator();
  options.lock_step_ns = 1'000'000;
  const BoardThread board(options, mismatched());
  const Outcome rate = run(arguments("rate", {"--play", "board", "--rate", "500"}));
  EXPECT_EQ(rate.exit_code, 4);
  const Outcome mode = run(arguments("mode", {"--play", "board", "--mode", "feedforward"}));
  EXPECT_EQ(mode.exit_code, 2);
  EXPECT_THAT(mode.err, HasSubstr("--play host"));
  const Outcome sim = run({"run", path("plan.csv"), "--play", "board", "--align"});
  EXPECT_EQ(sim.exit_code, 4);
  EXPECT_THAT(sim.err, HasSubstr("does not play plans by itself"));
}

}  // namespace
}  // namespace fivebar_control::test
