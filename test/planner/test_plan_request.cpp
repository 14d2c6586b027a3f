// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "fivebar_control/support/errors.hpp"
#include "planner/problems.hpp"

namespace fivebar_control
{
namespace
{

const std::string lissajous =
  "curve: {type: lissajous, center: [0.127, 0.127], amplitude: [0.05, 0.05], angular_frequency: "
  "[2, 3], duration: 1.0}\n";

std::string error_of(const std::string & text)
{
  try
  {
    parse_plan_request(text, "curve.yaml");
  }
  catch (const InputError & error)
  {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST(PlanRequest, ReadsThePublishedCurves)
{
  const PlanRequest a = test::request_of("a");
  EXPECT_EQ(a.name, "curve A");
  EXPECT_EQ(a.intervals, 1000u);
  EXPECT_EQ(a.stages.size(), 1u);
  EXPECT_EQ(a.stages[0].alpha, 0.05);
  EXPECT_EQ(a.stages[0].beta, 1.0);
  EXPECT_FALSE(a.voltage) << "the robot's limit";
  const PlanRequest c = test::request_of("c");
  EXPECT_EQ(c.intervals, 600u);
  EXPECT_EQ(c.voltage, 2.0);
  const PlanRequest soft = test::request_of("c_soft");
  ASSERT_EQ(soft.stages.size(), 3u);
  EXPECT_EQ(soft.stages[0].beta, 0.0);
  EXPECT_EQ(soft.stages[1].beta, 1.0);
  EXPECT_EQ(soft.stages[1].gamma, 0.0);
  EXPECT_EQ(soft.stages[2].gamma, 0.2);
  EXPECT_EQ(soft.voltage, unbounded);
  EXPECT_EQ(soft.guess, InitialGuess::zero);
  const PlanRequest gentle = test::request_of("b_gentle");
  EXPECT_EQ(gentle.intervals, 1200u);
  EXPECT_LT(gentle.curve->at(0.0).velocity.norm(), 1e-15);
}

TEST(PlanRequest, ReadsEveryTypeOfCurve)
{
  const std::string folder = testing::TempDir() + "fivebar_samples";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/path.csv") << "t,x,y\n0,0.12,0.12\n0.5,0.13,0.12\n1,0.13,0.13\n";
  std::ofstream(folder + "/curve.yaml") << "schema: 1\ncurve: {type: samples, file: path.csv}\n";
  const PlanRequest samples = load_plan_request(folder + "/curve.yaml");
  EXPECT_NEAR(samples.curve->at(0.5).position[0], 0.13, 1e-15);
  EXPECT_EQ(samples.name, "curve");
  std::filesystem::remove_all(folder);

  const PlanRequest line = parse_plan_request(
    "schema: 1\ncurve: {type: polyline, points: [[0.1, 0.1], [0.15, 0.1]], speed: 0.05, blend: "
    "0.1}\n",
    "f");
  EXPECT_EQ(line.intervals, 200u);
  const PlanRequest spline = parse_plan_request(
    "schema: 1\ncurve: {type: spline, points: [[0.1, 0.1], [0.15, 0.1], [0.1, 0.1]], times: [0, 1, "
    "2]}\nplacement: {translate: [0.01, 0], rotate: 0.1, scale: 0.5}\n",
    "f");
  EXPECT_NEAR(spline.curve->at(0.0).position[0], 0.11, 1e-15) << "turned about its start";
}

TEST(PlanRequest, GivesAPolylineATimeStepThatFits)
{
  const PlanRequest request = parse_plan_request(
    "schema: 1\ntime_step: 0.004\ncurve: {type: polyline, points: [[0.1, 0.1], [0.14, 0.12], "
    "[0.12, "
    "0.15]], speed: 0.07, blend: 0.05}\n",
    "polyline.yaml");
  EXPECT_LE(request.time_step, 0.004);
  EXPECT_GT(request.time_step, 0.0039);
  EXPECT_NEAR(
    request.time_step * static_cast<double>(request.intervals), request.curve->duration(), 1e-12);
}

TEST(PlanRequest, RefusesANameWithControlCharacters)
{
  EXPECT_THROW(
    parse_plan_request(
      "schema: 1\nname: \"red\\e[31m\"\ncurve: {type: circle, center: [0.1, 0.1], radius: 0.01, "
      "duration: 1}\n",
      "c.yaml"),
    InputError);
}

TEST(PlanRequest, RefusesWhatItCannotMean)
{
  EXPECT_EQ(
    error_of("schema: 2\n" + lissajous),
    "curve.yaml:1:9: key 'schema': this program reads curve files up to schema 1, the file has "
    "schema 2");
  EXPECT_EQ(
    error_of("schema: 1\ncurve: {type: spiral}\n"),
    "curve.yaml:2:15: key 'curve.type': expected one of lissajous, circle, polyline, spline, "
    "samples, got 'spiral'");
  EXPECT_EQ(
    error_of("schema: 1\n" + lissajous + "time_stp: 0.01\n"),
    "curve.yaml:3:1: unknown key 'time_stp', did you mean 'time_step'?");
  EXPECT_EQ(
    error_of("schema: 1\n" + lissajous + "time_step: 0.003\n"),
    "curve.yaml:3:12: key 'time_step': the duration of 1 s must be a whole number of time steps "
    "(at least 2) of 0.003 s; 0.003003003003 s would fit");
  EXPECT_EQ(
    error_of("schema: 1\n" + lissajous + "cost: {gamma: 0.2}\n"),
    "curve.yaml:3:7: key 'cost': gamma needs soft_voltage, the voltage above which it counts [V]");
  EXPECT_EQ(
    error_of("schema: 1\n" + lissajous + "limits: {voltage: -2}\n"),
    "curve.yaml:3:19: key 'limits.voltage': expected a positive number [V], 'robot' or 'none', got "
    "'-2'");
  EXPECT_EQ(
    error_of("schema: 1\n" + lissajous + "ramp: {in: 2.0, out: 1.0}\n"),
    "curve.yaml:3:7: key 'ramp': half of both ramps (1.5 s) is longer than the curve (1 s)");
  EXPECT_EQ(
    error_of("schema: 1\ncurve: {type: polyline, points: [[0, 0]], speed: 1, blend: 0.1}\n"),
    "curve.yaml:2:33: key 'curve.points': expected at least 2 points, got 1");
  EXPECT_EQ(
    error_of("schema: 1\ncurve: {type: samples, file: missing.csv}\n"),
    "missing.csv: cannot be read: No such file or directory");
  EXPECT_EQ(
    error_of("schema: 1\n" + lissajous + "solver: {method: newton}\n"),
    "curve.yaml:3:18: key 'solver.method': expected one of riccati, lbfgs, mma, slsqp, got "
    "'newton'");
}

}  // namespace fivebar_control
