// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "cli/program.hpp"
#include "fivebar_control/simulation/response.hpp"
#include "fivebar_control/support/csv_table.hpp"
#include "fivebar_control/support/yaml_map.hpp"
#include "model/robots.hpp"

namespace fivebar_control
{
namespace
{

using test::content_of;
using test::Outcome;
using testing::HasSubstr;
using testing::StartsWith;

/// V1 = 0.5 sin 2t, V4 = 0.25 cos 3t.
std::string reference_voltages(double duration, double spacing)
{
  std::string text = "t,u1,u4\n";
  const int samples = static_cast<int>(std::lround(duration / spacing));
  for (int i = 0; i <= samples; ++i)
  {
    const double t = i * spacing;
    text += fmt::format("{},{},{}\n", t, 0.5 * std::sin(2.0 * t), 0.25 * std::cos(3.0 * t));
  }
  return text;
}

class SimulateCommand : public test::ProgramTest
{
protected:
  Outcome simulate_file(const std::string & voltages, std::vector<std::string> more = {}) const
  {
    std::vector<std::string> arguments = {
      "simulate", "--voltages", voltages, "--out", path("out.csv")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }

  Outcome simulate_text(const std::string & voltages, std::vector<std::string> more = {}) const
  {
    return simulate_file(write("in.csv", voltages), std::move(more));
  }

  /// One line on stderr, exit code 2 and no output file.
  void expect_refusal(const Outcome & result, const std::string & message) const
  {
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_THAT(result.err, StartsWith("fivebar: "));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_FALSE(std::filesystem::exists(path("out.csv")));
  }

  CsvTable response() const
  {
    return parse_csv(
      content_of(path("out.csv")), "out.csv",
      {"t", "u1", "u4", "phi1", "phi4", "dphi1", "dphi4", "x", "y"});
  }
};

}  // namespace

TEST_F(SimulateCommand, GivesTheReferenceResponse)
{
  // The figures come from two independent models (shared with the project's specification).
  ASSERT_EQ(simulate_text(reference_voltages(5.0, 1e-4)).exit_code, 0);
  const CsvTable table = response();
  ASSERT_EQ(table.rows(), 50001u);
  const auto & phi1 = column(table, "phi1");
  const auto & phi4 = column(table, "phi4");
  EXPECT_NEAR(phi1[10000], 0.510620232, 1e-8);
  EXPECT_NEAR(phi4[10000], 1.606529151, 1e-8);
  EXPECT_NEAR(phi1[20000], 0.644939455, 1e-8);
  EXPECT_NEAR(phi4[20000], 1.524556038, 1e-8);
  EXPECT_NEAR(phi1[50000], 0.703601607, 1e-8);
  EXPECT_NEAR(phi4[50000], 1.669750997, 1e-8);
}

TEST_F(SimulateCommand, WritesEveryDigitOfTheStatesAndVoltages)
{
  const RobotModel robot = test::default_robot();
  const VoltageHistory input{
    {0.0, 0.1, 0.30000000000000004}, {{0.1, 0.2}, {1.0 / 3.0, -0.7}, {0.0, 1e-17}}};
  std::string text = "u4,t,u1\n";  // columns are found by name
  for (std::size_t i = 0; i < 3; ++i)
  {
    text += fmt::format("{},{},{}\n", input.voltage[i][1], input.time[i], input.voltage[i][0]);
  }
  ASSERT_EQ(simulate_text(text).exit_code, 0);
  const CsvTable table = response();
  const auto states = simulate(robot, robot.home_state(), input);
  const char * const names[] = {"phi1", "phi4", "dphi1", "dphi4"};
  for (std::size_t i = 0; i < 3; ++i)
  {
    EXPECT_EQ(column(table, "t")[i], input.time[i]);
    EXPECT_EQ(column(table, "u1")[i], input.voltage[i][0]);
    EXPECT_EQ(column(table, "u4")[i], input.voltage[i][1]);
    for (int j = 0; j < 4; ++j)
    {
      EXPECT_EQ(column(table, names[j])[i], states[i][j]);
    }
    const auto pose = robot.kinematics().forward(states[i].head<2>());
    EXPECT_NEAR(column(table, "x")[i], pose->end_effector.x(), 1e-15);
    EXPECT_NEAR(column(table, "y")[i], pose->end_effector.y(), 1e-15);
  }
}

TEST_F(SimulateCommand, SaysInTheHeaderWhichRobotAndIntegratorMadeTheFile)
{
  ASSERT_EQ(simulate_text("t,u1,u4\n0,0,0\n1,0.1,0.1\n", {"--step", "0.01"}).exit_code, 0);
  PlanSamples samples;
  const YamlMap header =
    read_samples(content_of(path("out.csv")), "out", response_kind, samples).header;
  EXPECT_EQ(header.map("robot").text("name"), test::default_robot().parameters().name);
  EXPECT_EQ(header.map("robot").text("fingerprint"), test::default_robot().fingerprint());
  EXPECT_EQ(header.map("integrator").text("method"), "runge-kutta-4");
  EXPECT_EQ(header.map("integrator").number("largest_step", any_number("s")), 0.01);
}

TEST_F(SimulateCommand, UsesTheRobotStartAndStepItIsGiven)
{
  const RobotModel robot = test::unequal_robot();
  ASSERT_EQ(
    simulate_text(
      "t,u1,u4\n0,0,0\n0.1,0.1,0.1\n", {"--robot", test::config_path("robots/unequal.yaml"),
                                        "--start", "-2.1,-1.25", "--step", "0.001"})
      .exit_code,
    0);
  const auto expected = simulate(
    robot, {-2.1, -1.25, 0.0, 0.0}, {{0.0, 0.1}, {{0.0, 0.0}, {0.1, 0.1}}},
    {IntegrationOptions::Method::fixed_step, 0.0, 1e-3});
  EXPECT_EQ(column(response(), "phi1")[0], -2.1);
  EXPECT_EQ(column(response(), "phi1")[1], expected[1][0]);
}

TEST_F(SimulateCommand, SaysWhenTheMotionRunsThroughASingularityAndWritesNothing)
{
  expect_refusal(
    simulate_text("t,u1,u4\n0,10,-10\n5,10,-10\n"),
    "in.csv: after t = 0.0902684 s the links can no longer close: the motion runs through a "
    "singularity");
}

TEST_F(SimulateCommand, TakesAHundredThousandRowsAndMore)
{
  ASSERT_EQ(simulate_text(reference_voltages(3.0, 2e-5)).exit_code, 0);
  EXPECT_EQ(response().rows(), 150001u);
}

TEST_F(SimulateCommand, RefusesBadVoltageFiles)
{
  expect_refusal(
    simulate_file("missing.csv"), "missing.csv: cannot be read: No such file or directory");
  expect_refusal(simulate_text(""), "in.csv: the file is empty");
  expect_refusal(simulate_text("t,u1,u4\n"), "in.csv: has no rows, expected voltages over time");
  expect_refusal(
    simulate_text("t,u1\n0,1\n"),
    "in.csv:1: column 'u4' is missing, expected a line of column names with t,u1,u4");
  expect_refusal(
    simulate_text("t,u1,u4\n0,1,2\n0,1,2\n"),
    "in.csv:3: column 't': time must increase, got 0 after 0");
  expect_refusal(
    simulate_text("t,u1,u4\n0,nan,2\n"),
    "in.csv:2:3: column 'u1': expected a finite number, got 'nan'");
  expect_refusal(simulate_text("t,u1,u4\n0,1,2\n0.1,1"), "in.csv:3: expected 3 values, got 2");
  expect_refusal(
    simulate_text("t,u1,u4\n0,1,2\n0.1,1,"),
    "in.csv:3:7: column 'u4': expected a finite number, got ''");
  expect_refusal(
    simulate_text(std::string(
      "\x7f"
      "ELF\0\0\1",
      7)),
    "in.csv: is a binary file, expected text");
  expect_refusal(simulate_text("\x1b[2J\xff\xfe\n1\n"), "column 't' is missing");
  expect_refusal(simulate_file(path(".")), "is a directory, expected a file");
}

TEST_F(SimulateCommand, RefusesBadRobotFiles)
{
  const auto with_robot = [&](const std::string & content) {
    return simulate_text("t,u1,u4\n0,0,0\n", {"--robot", write("robot.yaml", content)});
  };
  expect_refusal(with_robot(""), "robot.yaml: the file is empty");
  expect_refusal(
    with_robot(std::string(10'000'000, '[')),
    "robot.yaml: is larger than 1.0 MB, the most that is expected of such a file");
  expect_refusal(
    with_robot(std::string("\0\1\2\3", 4)), "robot.yaml: is a binary file, expected text");
  expect_refusal(with_robot("schema: 1\nlinks: {link_1: {leng"), "robot.yaml:2:1: not valid YAML");
  expect_refusal(with_robot("schma: 1\n"), "unknown key 'schma', did you mean 'schema'?");
  expect_refusal(with_robot(std::string(900'000, '[')), "not valid YAML");
}

TEST_F(SimulateCommand, RefusesAnOutputItCannotWrite)
{
  write("in.csv", "t,u1,u4\n0,0,0\n");
  const auto to = [&](const std::string & out) {
    return run({"simulate", "--voltages", path("in.csv"), "--out", out});
  };
  expect_refusal(to("no/folder/x.csv"), "no/folder/x.csv: cannot be written: No such file");
  expect_refusal(to(path(".")), "cannot be written: Is a directory");
}

TEST_F(SimulateCommand, RefusesBadStartsAndSteps)
{
  const std::string voltages = "t,u1,u4\n0,0,0\n1,0,0\n";
  for (const char * start : {"1", "1,", "1,2,3", "a,b", "nan,1", "1;2"})
  {
    expect_refusal(
      simulate_text(voltages, {"--start", start}),
      "--start: expected two angles phi1,phi4 [rad] such as 0,1.57, got '");
  }
  expect_refusal(
    simulate_text(voltages, {"--start", "2.3,0"}),
    "--start: the links cannot close at phi1 = 2.3, phi4 = 0 rad");
  expect_refusal(
    simulate_text(voltages, {"--step", "1e-15"}),
    "--step: 1e-15 s would take 1e+15 steps, expected at most 1e+10");
  for (const char * step : {"0", "-1", "abc", "inf"})
  {
    const Outcome result = simulate_text(voltages, {"--step", step});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("--step: expected a positive number of seconds, got '"));
  }
}

TEST_F(SimulateCommand, KeepsAnOlderOutputWhenItFails)
{
  write("out.csv", "old");
  EXPECT_EQ(simulate_text("t,u1,u4\n0,10,-10\n5,10,-10\n").exit_code, 2);
  EXPECT_EQ(content_of(path("out.csv")), "old");
}

TEST_F(SimulateCommand, ExplainsItselfWithUnitsAndAnExample)
{
  const Outcome help = run({"simulate", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("Example:\n  fivebar simulate --voltages in.csv"));
  EXPECT_THAT(help.out, HasSubstr("in s, V, rad, rad/s and m"));
  EXPECT_EQ(run({}).exit_code, 2);
  EXPECT_EQ(run({"simulte"}).exit_code, 2);
  EXPECT_EQ(run({"simulate"}).exit_code, 2);
}

TEST_F(SimulateCommand, FindsItsRobotInTheFolderTheEnvironmentNames)
{
  write("robot.yaml", content_of(test::config_path("robots/unequal.yaml")));
  setenv("FIVEBAR_CONFIG_DIR", path(".").c_str(), 1);
  const Outcome result = simulate_text("t,u1,u4\n0,0,0\n");
  unsetenv("FIVEBAR_CONFIG_DIR");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(column(response(), "phi1")[0], -2.0);
}

}  // namespace fivebar_control
