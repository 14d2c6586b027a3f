// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "fivebar_control/plan/plan_file.hpp"
#include "model/robots.hpp"

namespace fivebar_control
{
namespace
{

using test::content_of;
using test::Outcome;
using testing::HasSubstr;
using json = nlohmann::json;

class PlanCommand : public test::ProgramTest
{
protected:
  static std::string curve(const std::string & name)
  {
    return test::config_path("curves/" + name + ".yaml");
  }
  json read_json(const std::string & name) const { return json::parse(content_of(path(name))); }
};

}  // namespace

TEST_F(PlanCommand, WritesAPlanAndAReport)
{
  const Outcome outcome =
    run({"plan", curve("b"), "--out", path("b.csv"), "--json", path("b.json")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("converged"));
  EXPECT_THAT(outcome.err, HasSubstr("stage 1 iteration   1"));
  const Plan plan = load_plan(path("b.csv"));
  require_plan_fits(plan, test::default_robot(), "b.csv");
  const json report = read_json("b.json");
  EXPECT_EQ(report["verdict"], "converged");
  EXPECT_EQ(report["nodes"], 1001);
  EXPECT_EQ(report["voltage_limit"], 10.0);
  EXPECT_NEAR(report["cost"].get<double>(), 7.525738e-05, 1e-10);
  EXPECT_EQ(report["history"].size(), report["iterations"].get<std::size_t>() + 1);
}

TEST_F(PlanCommand, SolvesThePublishedCurvesFromZeroInFewIterations)
{
  const auto iterations = [&](const std::string & name, const std::string & limit) {
    const Outcome outcome = run(
      {"plan", curve(name), "--guess", "zero", "--voltage-limit", limit, "--out", path("p.csv"),
       "--json", path("p.json"), "--quiet"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return read_json("p.json")["iterations"].get<int>();
  };
  for (const char * name : {"a", "b", "c"})
  {
    EXPECT_LE(iterations(name, "none"), 15) << name;
    EXPECT_LE(iterations(name, "10"), 15) << name;
  }
  EXPECT_LE(iterations("c", "2"), 40);
}

TEST_F(PlanCommand, PlansSeveralCurvesAtOnce)
{
  const Outcome outcome = run(
    {"plan", curve("a"), curve("b"), curve("c_soft"), "--out", path("plans"), "--json",
     path("all.json")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(read_json("all.json")["plans"].size(), 3u);
  for (const char * name : {"a", "b", "c_soft"})
  {
    EXPECT_NO_THROW(load_plan(path(std::string("plans/") + name + ".plan.csv")));
  }
}

TEST_F(PlanCommand, ReturnsThreeWhenTheSolverDidNotConverge)
{
  const Outcome outcome = run(
    {"plan", curve("c"), "--max-iterations", "2", "--out", path("c.csv"), "--json",
     path("c.json")});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(read_json("c.json")["verdict"], "iteration limit");
}

TEST_F(PlanCommand, RefusesBadInputsAndWritesNothing)
{
  const auto expect_refusal = [&](std::vector<std::string> arguments, const std::string & message) {
    arguments.insert(arguments.begin(), "plan");
    arguments.insert(arguments.end(), {"--out", path("out.csv"), "--json", path("out.json")});
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << message;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_FALSE(std::filesystem::exists(path("out.csv"))) << message;
    EXPECT_FALSE(std::filesystem::exists(path("out.json"))) << message;
  };
  expect_refusal({path("missing.yaml")}, "missing.yaml: cannot be read");
  expect_refusal({write("empty.yaml", "")}, "the file is empty");
  expect_refusal({write("huge.yaml", std::string(10000000, 'a'))}, "is larger than");
  expect_refusal(
    {write("cut.yaml", "schema: 1\ncurve: {type: circle, center: [0.1")}, "not valid YAML");
  expect_refusal(
    {write(
      "far.yaml",
      "schema: 1\ncurve: {type: circle, center: [0.127, 0.127], radius: 0.2, duration: 2}\n")},
    "far.yaml: the curve leaves the workspace at t = 0 s, P = (0.3270, 0.1270) m");
  expect_refusal({curve("b"), "--voltage-limit", "minus"}, "--voltage-limit: expected a positive");
  expect_refusal({curve("b"), "--time-step", "0.0033"}, "--time-step: the duration of 5 s must be");
  expect_refusal(
    {curve("b"), "--robot", write("bad.yaml", "schema: 1\n")}, "bad.yaml:1:1: missing key");
}

TEST_F(PlanCommand, KeepsTheOldPlanWhenTheNewOneCannotBeMade)
{
  write("out.csv", "old");
  const Outcome outcome = run({"plan", write("bad.yaml", "schema: 1\n"), "--out", path("out.csv")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(content_of(path("out.csv")), "old");
}

TEST_F(PlanCommand, GradientMethodsAgreeOnTheFullCurve)
{
  run({"plan", curve("b"), "--out", path("b.csv"), "--quiet"});
  const auto gradient = [&](const std::string & method, const std::string & at) {
    const Outcome outcome =
      run({"gradient", curve("b"), "--method", method, "--at", at, "--json", path("g.json")});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const json report = read_json("g.json");
    std::vector<double> values = report["du1"].get<std::vector<double>>();
    const auto second = report["du4"].get<std::vector<double>>();
    values.insert(values.end(), second.begin(), second.end());
    return Eigen::VectorXd(
      Eigen::Map<Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size())));
  };
  for (const std::string & at : {std::string("zero"), path("b.csv")})
  {
    const Eigen::VectorXd adjoint = gradient("discrete-adjoint", at);
    ASSERT_EQ(adjoint.size(), 2002);
    EXPECT_LT((adjoint - gradient("complex-step", at)).norm(), 1e-10 * adjoint.norm()) << at;
    EXPECT_LT((adjoint - gradient("direct", at)).norm(), 1e-10 * adjoint.norm()) << at;
  }
}

TEST_F(PlanCommand, GradientRefusesAPlanOfAnotherSize)
{
  run({"plan", curve("c"), "--out", path("c.csv"), "--quiet"});
  const Outcome outcome = run({"gradient", curve("b"), "--at", path("c.csv")});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the plan has 601 nodes, the curve needs 1001"));
}

}  // namespace fivebar_control
