// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/program.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "fivebar_control/planner/planner.hpp"
#include "fivebar_control/support/csv_table.hpp"
#include "model/robots.hpp"

namespace fivebar_control::test
{
namespace
{

/// Runs the daemon in real time on a plan of 7 s and sends signals on the way.
class RunSignals : public ProgramTest
{
protected:
  void SetUp() override
  {
    ProgramTest::SetUp();
    save_plan(
      make_plan(default_robot(), load_plan_request(config_path("curves/b_gentle.yaml"))).plan,
      path("plan.csv"));
  }

  /// The log is being written: the loop runs and the signal handlers are in place.
  void wait_until_it_plays() const
  {
    for (int k = 0; k < 6000; ++k)
    {
      for (const auto & entry : std::filesystem::directory_iterator(path("")))
      {
        const bool log = entry.path().filename().string().rfind("log.csv.", 0) == 0;
        if (log && entry.file_size() > 50'000)
        {
          return;
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "the program did not start";
  }

  /// Once it plays, sends each signal after its pause [s]; returns the exit code.
  int run_with(const std::vector<std::pair<int, double>> & signals, bool with_rights = true) const
  {
    const pid_t child = fork();
    if (child == 0)
    {
      const int flags = O_WRONLY | O_CREAT | O_TRUNC;
      dup2(open(path("stdout.log").c_str(), flags, 0600), STDOUT_FILENO);
      dup2(open(path("stderr.log").c_str(), flags, 0600), STDERR_FILENO);
      if (!with_rights)
      {
        give_up_rights();
      }
      if (chdir(path("").c_str()) == 0)
      {
        execl(
          FIVEBAR_PROGRAM, "fivebar", "run", "plan.csv", "--log", "log.csv", "--json", "run.json",
          nullptr);
      }
      _exit(127);
    }
    wait_until_it_plays();
    for (const auto & [signal, pause] : signals)
    {
      std::this_thread::sleep_for(std::chrono::duration<double>(pause));
      kill(child, signal);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  /// No real-time priority, no locked memory; what the folder needs stays possible.
  static void give_up_rights()
  {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_RTPRIO, &none);
    setrlimit(RLIMIT_MEMLOCK, &none);
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
    {
      _exit(126);
    }
  }

  /// The log is complete, ends with zero volts, and its volts never jump.
  CsvTable checked_log() const
  {
    text_ = content_of(path("log.csv"));
    CsvTable table = parse_csv(text_, "log.csv", {"t", "u1_applied", "u4_applied", "state"});
    require_increasing_time(table, "log.csv");
    const nlohmann::json report = nlohmann::json::parse(content_of(path("run.json")));
    EXPECT_EQ(table.rows(), report["cycles"].get<std::size_t>());
    EXPECT_EQ(column(table, "u1_applied").back(), 0.0);
    EXPECT_EQ(column(table, "u4_applied").back(), 0.0);
    return table;
  }

  mutable std::string text_;
};

TEST_F(RunSignals, InterruptStopsSmoothlyWithACompleteLog)
{
  EXPECT_EQ(run_with({{SIGINT, 1.0}}), 130) << content_of(path("stderr.log"));
  const CsvTable table = checked_log();
  EXPECT_THAT(content_of(path("stderr.log")), testing::HasSubstr("stopped on request"));
  const std::vector<double> & state = column(table, "state");
  for (const double passed : {2.0, 3.0, 4.0, 5.0, 0.0})  // playing to idle, through all
  {
    EXPECT_NE(std::find(state.begin(), state.end(), passed), state.end()) << passed;
  }
  for (const char * name : {"u1_applied", "u4_applied"})
  {
    const std::vector<double> & volts = column(table, name);
    for (std::size_t i = 1; i < volts.size(); ++i)
    {
      ASSERT_LT(std::abs(volts[i] - volts[i - 1]), 1.0) << name << " in row " << i;
    }
  }
}

TEST_F(RunSignals, TerminationStopsSmoothlyToo)
{
  EXPECT_EQ(run_with({{SIGTERM, 0.5}}), 143);
  EXPECT_GT(checked_log().rows(), 1500U);
}

TEST_F(RunSignals, ASecondInterruptCutsTheVoltsAtOnce)
{
  EXPECT_EQ(run_with({{SIGINT, 1.0}, {SIGINT, 0.1}}), 130);
  const CsvTable table = checked_log();
  EXPECT_THAT(content_of(path("stderr.log")), testing::HasSubstr("aborted on request"));
  const std::vector<double> & state = column(table, "state");
  EXPECT_EQ(state[state.size() - 2], 3.0) << "from the middle of the stop";
  EXPECT_EQ(state.back(), 0.0);
}

TEST_F(RunSignals, SaysOnceThatItHasNoRightsAndGoesOn)
{
  std::filesystem::permissions(path(""), std::filesystem::perms::all);
  const int code = run_with({{SIGTERM, 0.1}}, false);
  if (code == 127)
  {
    GTEST_SKIP() << "the program lies where another user cannot run it";
  }
  EXPECT_EQ(code, 143) << content_of(path("stderr.log"));
  const std::string messages = content_of(path("stderr.log"));
  std::vector<std::string> complaints{"no real-time priority 80"};
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // Sanitizers make mlockall() do nothing and succeed.
  complaints.emplace_back("memory is not locked");
#endif
  for (const std::string & complaint : complaints)
  {
    const std::size_t first = messages.find(complaint);
    EXPECT_NE(first, std::string::npos) << messages;
    EXPECT_EQ(messages.find(complaint, first + 1), std::string::npos) << messages;
  }
  checked_log();
}

TEST_F(RunSignals, ShowsNoStatusLineWhereThereIsNoTerminal)
{
  run_with({{SIGINT, 0.2}});
  EXPECT_EQ(content_of(path("stderr.log")).find('\r'), std::string::npos);
}

}  // namespace
}  // namespace fivebar_control::test
