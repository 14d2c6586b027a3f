// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace fivebar_control
{
namespace
{

using test::content_of;
using test::Outcome;
using testing::HasSubstr;

const std::string mechanisms = std::string(FIVEBAR_SOURCE_DIR) + "/config/mechanisms/";

class SensitivityCommand : public test::ProgramTest
{
};

TEST_F(SensitivityCommand, WritesCostAndGradientAsJson)
{
  const Outcome result = run(
    {"sensitivity", mechanisms + "fivebar_springs.yaml", "--method", "direct", "--json",
     path("s.json")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(content_of(path("s.json")));
  EXPECT_NEAR(json.at("cost").get<double>(), 0.7268774613, 1e-9);
  EXPECT_NEAR(json.at("gradient").at(0).get<double>(), -4.2288108552, 2e-9);
  EXPECT_NEAR(json.at("gradient").at(1).get<double>(), 3.2116041030, 2e-9);
  EXPECT_EQ(json.at("method"), "direct");
  EXPECT_EQ(json.at("parameters").at(0), "springs.b1.rest_length");
  EXPECT_GT(json.at("seconds").get<double>(), 0.0);
}

TEST_F(SensitivityCommand, SetChangesWhatItNames)
{
  // The static equilibrium: nothing moves, so the cost vanishes.
  const Outcome result = run(
    {"sensitivity", mechanisms + "fivebar_springs.yaml", "--set", "duration=1", "--set",
     "springs.b1.rest_length=2.4319235745", "--set", "springs.b2.rest_length=1.8448688868",
     "--json", path("s.json")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_LT(nlohmann::json::parse(content_of(path("s.json"))).at("cost").get<double>(), 1e-15);
}

TEST_F(SensitivityCommand, CheckComparesAllMethods)
{
  const Outcome result = run({"sensitivity", mechanisms + "fivebar_capture.yaml", "--check"});
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr("adjoint-2"));
  EXPECT_THAT(result.out, testing::Not(HasSubstr("DIFFERS")));
}

TEST_F(SensitivityCommand, TakesTheRobotThatDescribeWrites)
{
  const Outcome described = run({"describe", "--format", "mechanism"});
  ASSERT_EQ(described.exit_code, 0) << described.err;
  write("robot.yaml", described.out);
  const Outcome result = run({"sensitivity", path("robot.yaml"), "--json", path("s.json")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(content_of(path("s.json")));
  EXPECT_EQ(json.at("parameters").at(0), "inputs.u1.0");
  EXPECT_EQ(json.at("gradient").size(), 12U);
  EXPECT_EQ(run({"check", path("robot.yaml")}).exit_code, 0);
}

TEST_F(SensitivityCommand, NamesTheSchemeOfAFormulationThatStepsByItself)
{
  const Outcome result = run(
    {"sensitivity", mechanisms + "fivebar_springs.yaml", "--formulation", "ali3p", "--method",
     "discrete-adjoint", "--set", "duration=0.1"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("discrete-adjoint, ali3p, newmark"));
}

class VerifyCommand : public test::ProgramTest
{
};

TEST_F(VerifyCommand, FindsEveryPublishedNumber)
{
  const Outcome result = run({"verify", "--json", path("v.json")});
  EXPECT_EQ(result.exit_code, 0) << result.out;
  const auto json = nlohmann::json::parse(content_of(path("v.json")));
  EXPECT_TRUE(json.at("agree").get<bool>());
  for (const auto & row : json.at("rows"))
  {
    EXPECT_TRUE(row.at("agrees").get<bool>() || !row.at("reproducible").get<bool>()) << row;
    EXPECT_TRUE(row.at("reproducible").get<bool>() || !row.at("explanation").empty()) << row;
  }
  EXPECT_THAT(result.out, HasSubstr("printed in the sources: "));
  EXPECT_GE(json.at("counts").at("printed").get<int>(), 79);
}

TEST_F(SensitivityCommand, RefusesWhatItCannotDo)
{
  const auto refused = [&](std::vector<std::string> arguments, const std::string & message) {
    arguments.insert(arguments.begin(), "sensitivity");
    const Outcome result = run(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(message));
  };
  const std::string springs = mechanisms + "fivebar_springs.yaml";
  refused({"nothing.yaml"}, "nothing.yaml");
  refused({springs, "--method", "magic"}, "magic");
  refused({springs, "--set", "duration"}, "path.to.key=value");
  refused({springs, "--set", "duration=-1"}, "positive");
  refused({springs, "--set", "rods.a1.mass=-1"}, "rods.a1.mass");
  refused({springs, "--set", "springs.b9.stiffness=1"}, "b9");
  refused({springs, "--method", "adjoint-2"}, "maggi");
}

}  // namespace
}  // namespace fivebar_control
