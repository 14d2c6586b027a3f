// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
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

TEST_F(SensitivityCommand, CheckpointsSaveMemoryAndChangeNothing)
{
  const std::string springs = mechanisms + "fivebar_springs.yaml";
  ASSERT_EQ(run({"sensitivity", springs, "--json", path("all.json")}).exit_code, 0);
  const Outcome some =
    run({"sensitivity", springs, "--checkpoints", "auto", "--json", path("some.json")});
  ASSERT_EQ(some.exit_code, 0) << some.err;
  EXPECT_THAT(some.out, HasSubstr("stored at one time: 143 of 5001 states"));
  const auto a = nlohmann::json::parse(content_of(path("all.json")));
  const auto b = nlohmann::json::parse(content_of(path("some.json")));
  EXPECT_EQ(a.at("gradient"), b.at("gradient"));
  EXPECT_EQ(a.at("stored_states"), 5001);
  EXPECT_EQ(b.at("stored_states"), 143);
}

TEST_F(SensitivityCommand, SynthesisesAPath)
{
  const std::string path_file = mechanisms + "fourbar_path.yaml";
  const Outcome checked = run({"sensitivity", path_file, "--check"});
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
  EXPECT_THAT(checked.out, HasSubstr("kinematic  adjoint"));
  const Outcome best = run({"optimise", path_file, "--json", path("best.json")});
  ASSERT_EQ(best.exit_code, 0) << best.err << best.out;
  EXPECT_TRUE(nlohmann::json::parse(content_of(path("best.json"))).at("converged").get<bool>());
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

TEST_F(SensitivityCommand, WritesTheMotionAsASeries)
{
  const Outcome result =
    run({"sensitivity", mechanisms + "cart_servo.yaml", "--set", "duration=0.01", "--series", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, testing::StartsWith("t,cart.x,cart.y,cart.angle,upper.x,"));
  EXPECT_THAT(result.out, HasSubstr(",lambda_6,residual,residual_rate\n0,0,"));
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 4);
}

class OptimiseCommand : public test::ProgramTest
{
};

TEST_F(OptimiseCommand, FindsThePrintedOptimumOfTheFivebar)
{
  // 003, section 5.2; the same optimum as in 001 at T = 1 s.
  for (const std::string solver : {"gauss-newton", "lbfgs", "slsqp"})
  {
    const Outcome result = run(
      {"optimise", mechanisms + "fivebar_springs.yaml", "--set", "duration=1", "--solver", solver,
       "--method", "adjoint", "--json", path("o.json"), "--out", path("o.csv")});
    ASSERT_EQ(result.exit_code, 0) << solver << result.out << result.err;
    const auto json = nlohmann::json::parse(content_of(path("o.json")));
    EXPECT_NEAR(json.at("values").at(0).get<double>(), 2.4319236, 0.6e-7) << solver;
    EXPECT_NEAR(json.at("values").at(1).get<double>(), 1.8448689, 0.6e-7) << solver;
    EXPECT_EQ(json.at("verdict"), "converged");
    EXPECT_THAT(content_of(path("o.csv")), HasSubstr("springs.b1.rest_length,2.43192"));
  }
}

TEST_F(OptimiseCommand, GoesThroughStages)
{
  const Outcome result = run(
    {"optimise", mechanisms + "cart_swing_up.yaml", "--formulation", "hadca", "--cost", "1e-8",
     "--json", path("o.json")});
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const auto json = nlohmann::json::parse(content_of(path("o.json")));
  ASSERT_EQ(json.at("stages").size(), 2U);
  EXPECT_LE(json.at("cost").get<double>(), 1e-6);
  // The second stage starts with the rates of the first one's end.
  EXPECT_GT(json.at("stages").at(1).at("history").at(0).get<double>(), 0.1);
}

TEST_F(OptimiseCommand, SaysWhatIsWrong)
{
  const auto refused = [&](std::vector<std::string> arguments, const std::string & message) {
    arguments.insert(arguments.begin(), "optimise");
    const Outcome result = run(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(message));
  };
  const std::string springs = mechanisms + "fivebar_springs.yaml";
  refused({springs, "--solver", "newton"}, "newton");
  refused({springs, "--stage", "duration"}, "path.to.key=value");
  refused({springs, "--set", "parameters=[]", "--set", "bounds={}"}, "no parameters");
  const Outcome limited =
    run({"optimise", springs, "--set", "duration=1", "--max-evaluations", "2"});
  EXPECT_EQ(limited.exit_code, 3);
  EXPECT_THAT(limited.out, HasSubstr("evaluation limit"));
}

TEST_F(SensitivityCommand, TheSeriesOfAMechanismBecomesAMovingPicture)
{
  const std::string chain = mechanisms + "cart_chain.yaml";
  ASSERT_EQ(
    run({"sensitivity", chain, "--set", "duration=0.4", "--method", "hadca", "--series",
         path("chain.csv")})
      .exit_code,
    0);
  const auto animate = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"animate", chain});
    arguments.insert(arguments.end(), {"--out", path("chain.svg"), "--fps", "10"});
    return run(arguments);
  };
  const auto drawn = [&] { return content_of(path("chain.svg")); };
  Outcome outcome = animate({path("chain.csv")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("cart_chain, 0.40 s of motion"));
  const std::string svg = drawn();
  std::size_t frames = 0;
  for (std::size_t at = svg.find("<animate "); at != std::string::npos;
       at = svg.find("<animate ", at + 1))
  {
    ++frames;
  }
  EXPECT_EQ(frames, 5U);
  // Without a series: the motion of the file, here a longer chain.
  EXPECT_EQ(animate({"--set", "pendula=7", "--set", "duration=0.4"}).exit_code, 0);
  EXPECT_GT(drawn().size(), svg.size());
  outcome = animate({path("chain.csv"), "--set", "pendula=7"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("pendulum_4.x"));
  EXPECT_EQ(animate({"--robot", "robot.yaml"}).exit_code, 2);
}

class VerifyCommand : public test::ProgramTest
{
};

TEST_F(VerifyCommand, FindsEveryPublishedNumber)
{
  const Outcome result = run({"verify", "--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_TRUE(json.at("agree").get<bool>());
  for (const auto & row : json.at("rows"))
  {
    EXPECT_TRUE(row.at("agrees").get<bool>() || !row.at("reproducible").get<bool>()) << row;
    EXPECT_TRUE(row.at("reproducible").get<bool>() || !row.at("explanation").empty()) << row;
  }
  EXPECT_THAT(result.err, HasSubstr("printed in the sources: "));
  EXPECT_GE(json.at("counts").at("printed").get<int>(), 79);
  EXPECT_GE(json.at("not_recomputed").size(), 10U);
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
  refused({springs, "--checkpoints", "0"}, "neither a positive number nor 'auto'");
  refused({springs, "--checkpoints", "many"}, "neither a positive number nor 'auto'");
  refused({springs, "--checkpoints", "auto", "--method", "direct"}, "checkpoints belong to");
  refused({springs, "--formulation", "kinematic"}, "a drive for every degree of freedom");
  refused({springs, "--formulation", "index-3"}, "direct, discrete-adjoint");
  refused({springs, "--set", "duration"}, "path.to.key=value");
  refused({springs, "--set", "duration=-1"}, "positive");
  refused({springs, "--set", "rods.a1.mass=-1"}, "rods.a1.mass");
  refused({springs, "--set", "springs.b9.stiffness=1"}, "b9");
  refused({springs, "--method", "adjoint-2"}, "maggi");
}

}  // namespace
}  // namespace fivebar_control
