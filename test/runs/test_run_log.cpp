// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <random>

#include "controller/rig.hpp"
#include "fivebar_control/runs/recovery.hpp"
#include "fivebar_control/runs/run_log.hpp"
#include "fivebar_control/runs/run_record.hpp"
#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/time_histogram.hpp"

namespace fivebar_control::test
{
namespace
{

struct LogTest : testing::Test
{
  LogTest()
  : folder(testing::TempDir() + "fivebar_log_" + std::to_string(getpid())),
    path(folder + "/log.csv")
  {
    std::filesystem::create_directories(folder);
  }
  ~LogTest() override { std::filesystem::remove_all(folder); }

  static RunDescription description()
  {
    RunDescription run;
    run.package_version = "0";
    run.robot_name = "test";
    run.robot_fingerprint = "0123";
    run.curve = "curve \"B\"\n";  // whatever people name their curves
    run.hardware = "none";
    run.mode = "pd";
    run.rate = 1000.0;
    run.voltage_limit = 10.0;
    run.kp = 22.7;
    return run;
  }

  static CycleRecord record(int k)
  {
    CycleRecord r;
    r.time_ns = k * 1'000'000LL;
    r.angle = {0.001 * std::sin(k), 1.5};
    r.reference = {0.0, 1.5};
    r.speed = {0.25, -0.5 * k};
    r.counts = {k, -k};
    r.write_good = k % 2 == 0;
    r.state = ControlState::playing;
    return r;
  }

  std::string folder, path;
};

TEST_F(LogTest, HoldsEveryRowInOrderAndReadsBackExactly)
{
  const RobotModel robot = default_robot();
  constexpr int rows = 50000;  // several times the ring
  {
    RunLog log(path, description(), robot, true);
    for (int k = 0; k < rows; ++k)
    {
      log.take(record(k));
    }
    EXPECT_FALSE(std::filesystem::exists(path)) << "not before it is complete";
    log.finish(RunEnd::finished, Reason::none);
    EXPECT_EQ(log.rows(), rows);
    EXPECT_EQ(log.lost(), 0);
  }
  const RunRecord run = load_run_record(path);
  ASSERT_EQ(run.size(), static_cast<std::size_t>(rows));
  for (int k = 0; k < rows; ++k)
  {
    const auto i = static_cast<std::size_t>(k);
    ASSERT_EQ(run.counts[0][i], k);
    ASSERT_EQ(run.angle[0][i], 0.001 * std::sin(k));
    ASSERT_EQ(run.speed[1][i], -0.5 * k);
    ASSERT_EQ(run.write_good[i], k % 2 == 0);
  }
  EXPECT_EQ(run.curve, "curve \"B\"\n");
  EXPECT_EQ(run.kp, 22.7);
  EXPECT_EQ(run.ended, "finished");
  EXPECT_EQ(run.lost_rows, 0);
}

TEST_F(LogTest, IsWhatAKeeperKeepsInMemory)
{
  const RobotModel robot = default_robot();
  RunLog log(path, description(), robot, true);
  RecordKeeper keeper(robot);
  for (int k = 0; k < 100; ++k)
  {
    log.take(record(k));
    keeper.take(record(k));
  }
  log.finish(RunEnd::fault, Reason::joint_speed);
  const RunRecord kept = keeper.finish(description(), RunEnd::fault, Reason::joint_speed);
  const RunRecord read = load_run_record(path);
  visit_run_columns(
    [](const char * name, const auto & a, const auto & b) { EXPECT_EQ(a, b) << name; }, kept, read);
  EXPECT_EQ(kept.hardware, read.hardware);
  EXPECT_EQ(kept.reason, read.reason);
}

TEST_F(LogTest, CountsWhatItLosesInsteadOfWaiting)
{
  const RobotModel robot = default_robot();
  RunLog log(path, description(), robot, false);
  constexpr int rows = 400000;  // far faster than the thread can write
  for (int k = 0; k < rows; ++k)
  {
    log.take(record(k));
  }
  log.finish(RunEnd::finished, Reason::none);
  EXPECT_GT(log.lost(), 0);
  EXPECT_EQ(log.rows() + log.lost(), rows);
}

/// The one file in the folder.
std::string only_file_in(const std::string & folder)
{
  std::string found;
  for (const auto & entry : std::filesystem::directory_iterator(folder))
  {
    EXPECT_EQ(found, "");
    found = entry.path();
  }
  return found;
}

TEST_F(LogTest, LeavesNothingBehindWithoutRowsAndFinish)
{
  const RobotModel robot = default_robot();
  {
    RunLog log(path, description(), robot, true);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(LogTest, WithoutFinishItsRowsStayAndCanBeRecovered)
{
  const RobotModel robot = default_robot();
  {
    RunLog log(path, description(), robot, true);
    for (int k = 0; k < 100; ++k)
    {
      log.take(record(k));
    }
  }
  const std::string left = only_file_in(folder);
  EXPECT_NE(left.find("log.csv.unfinished."), std::string::npos);
  std::ifstream stream(left, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const RecoveredLog whole = recover_run_log(text, left);
  EXPECT_EQ(whole.rows, 100U);
  EXPECT_EQ(whole.lost_bytes, 0U);
  const RunRecord run = parse_run_record(whole.text, "log.csv");
  EXPECT_EQ(run.size(), 100U);
  EXPECT_EQ(run.ended, "unknown");
  // Killed in the middle of a row, or a disk that left zeros behind.
  for (const std::string & cut :
       {text.substr(0, text.size() - 5), text + "0.1,2", text + std::string(512, '\0') + "\n"})
  {
    const RecoveredLog part = recover_run_log(cut, left);
    EXPECT_GE(part.rows, 99U);
    EXPECT_GT(part.lost_bytes, 0U);
  }
  EXPECT_THROW(recover_run_log(text.substr(0, 300), left), InputError);
  EXPECT_THROW(recover_run_log("t,x\n1,2\n", left), InputError);
}

TEST_F(LogTest, TheLogOfASimulatedRobotIsRecoveredWithItsTruth)
{
  const RobotModel robot = default_robot();
  RunDescription simulated = description();
  simulated.has_truth = true;
  {
    RunLog log(path, simulated, robot, true);
    for (int k = 0; k < 10; ++k)
    {
      CycleRecord row = record(k);
      row.true_point = Eigen::Vector2d(0.1, 0.2);
      log.take(row);
    }
  }
  const std::string left = only_file_in(folder);
  std::ifstream stream(left, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const RunRecord run = parse_run_record(recover_run_log(text, left).text, "log.csv");
  ASSERT_EQ(run.size(), 10U);
  EXPECT_TRUE(run.has_truth);
  EXPECT_EQ(run.truly(9), Eigen::Vector2d(0.1, 0.2));
}

TEST_F(LogTest, RefusesAFolderThatIsNotThere)
{
  const RobotModel robot = default_robot();
  EXPECT_THROW(RunLog(folder + "/no/log.csv", description(), robot, true), InputError);
}

TEST_F(LogTest, TellsAtTheEndThatTheDiskWasFull)
{
  // A limit of the file size makes writes fail as a full disk does.
  const RobotModel robot = default_robot();
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 100'000;
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  {
    RunLog log(path, description(), robot, true);
    for (int k = 0; k < 20000; ++k)
    {
      log.take(record(k));
    }
    EXPECT_THROW(log.finish(RunEnd::finished, Reason::none), InputError);
  }
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_FALSE(std::filesystem::exists(path)) << "nothing half-written";
  std::ifstream stream(only_file_in(folder), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_GT(recover_run_log(text, "log.csv").rows, 100U) << "but all that could be";
}

TEST(TimeHistogram, FindsQuantilesWithinItsResolution)
{
  TimeHistogram histogram;
  std::mt19937 random(1);
  std::vector<std::uint64_t> values;
  for (int i = 0; i < 100000; ++i)
  {
    const double value = std::exp(std::uniform_real_distribution<double>(0.0, 20.0)(random));
    values.push_back(static_cast<std::uint64_t>(value));
    histogram.add(static_cast<std::int64_t>(values.back()));
  }
  std::sort(values.begin(), values.end());
  for (const double q : {0.01, 0.5, 0.9, 0.99, 0.999})
  {
    const auto exact = static_cast<double>(
      values[static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size()))) - 1]);
    EXPECT_GE(static_cast<double>(histogram.quantile(q)), exact);
    EXPECT_LE(static_cast<double>(histogram.quantile(q)), 1.017 * exact + 1.0);
  }
  EXPECT_EQ(histogram.smallest(), values.front());
  EXPECT_EQ(histogram.largest(), values.back());
  EXPECT_EQ(histogram.quantile(1.0), values.back());
}

TEST(TimeHistogram, TakesZeroNegativeAndHugeValues)
{
  TimeHistogram histogram;
  histogram.add(-5);
  histogram.add(0);
  histogram.add(INT64_MAX);
  EXPECT_EQ(histogram.count(), 3);
  EXPECT_EQ(histogram.smallest(), 0U);
  EXPECT_EQ(histogram.largest(), static_cast<std::uint64_t>(INT64_MAX));
}

}  // namespace
}  // namespace fivebar_control::test
