// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <regex>

#include "cli/command_line.hpp"

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

class Help : public CommandLineTest
{
};

std::ptrdiff_t lines(const std::string & text)
{
  return std::count(text.begin(), text.end(), '\n');
}

TEST_F(Help, IsWhatTheProgramSaysWithoutArgumentsAndThatIsNoSuccess)
{
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_LE(lines(outcome.err), 40) << "it must fit on a screen";
  for (const char * part :
       {"Usage: fivebar COMMAND", "\nPlan and play:\n  plan ", "\nLook:\n",
        "\nRobots and boards:\n", "\nMechanisms and gradients:\n", "\nFiles:\n",
        "\nExamples:\n  fivebar ", "docs/"})
  {
    EXPECT_THAT(outcome.err, HasSubstr(part));
  }
}

TEST_F(Help, ListsTheOptionsOfTheProgramWhenAsked)
{
  const Outcome outcome = run({"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("\nPlan and play:\n"));
  EXPECT_THAT(outcome.out, HasSubstr("--version"));
}

TEST_F(Help, OfEveryCommandHasUsageExampleAndExitCodes)
{
  const std::vector<std::string> all = commands();
  ASSERT_GE(all.size(), 15U);
  for (const std::string & command : all)
  {
    const Outcome help = run({command, "--help"});
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_THAT(help.out, HasSubstr("Usage: fivebar " + command + " "));
    EXPECT_THAT(help.out, HasSubstr("\n  fivebar " + command + " ")) << "no example";
    EXPECT_THAT(help.out, HasSubstr("Exit codes: 0 ")) << command;
    std::istringstream screen(help.out);
    for (std::string line; std::getline(screen, line);)
    {
      EXPECT_TRUE(line.size() <= 100 || line.starts_with("Usage:")) << command << ": " << line;
    }
  }
}

TEST_F(Help, HasUnitsChoicesRangesAndDefaults)
{
  const std::string animate = run({"animate", "--help"}).out;
  EXPECT_THAT(animate, HasSubstr("--fps N"));
  EXPECT_THAT(animate, HasSubstr("Frames per second; from 1 to 100 (default: "));
  EXPECT_THAT(run({"run", "--help"}).out, HasSubstr("from 50 to 20000"));
  EXPECT_THAT(run({"describe", "--help"}).out, HasSubstr("one of mjcf, urdf, world"));
}

TEST_F(Help, SuggestsTheCommandThatWasProbablyMeant)
{
  const Outcome near = run({"simulte", "--out", "x"});
  EXPECT_EQ(near.exit_code, 2);
  EXPECT_EQ(near.err, "fivebar: unknown command 'simulte', did you mean 'simulate'?\n");
  const Outcome far = run({"xyzzyxyzzy"});
  EXPECT_EQ(far.exit_code, 2);
  EXPECT_EQ(far.err, "fivebar: unknown command 'xyzzyxyzzy'; 'fivebar --help' lists them\n");
}

TEST_F(Help, SuggestsTheOptionThatWasProbablyMeant)
{
  const Outcome outcome = run({"plan", config + "curves/b.yaml", "--jsno", "x"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "fivebar: plan: unknown option '--jsno', did you mean '--json'?\n");
  EXPECT_EQ(run({"--hlep"}).err, "fivebar: unknown option '--hlep', did you mean '--help'?\n");
}

TEST_F(Help, SaysInOneLineWhatIsMissingOrTooMuch)
{
  const Outcome missing = run({"describe", "--out", "x"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_EQ(lines(missing.err), 1);
  EXPECT_THAT(missing.err, StartsWith("fivebar: describe: --format is required"));
  const Outcome choice = run({"describe", "--format", "step", "--out", "x"});
  EXPECT_EQ(choice.exit_code, 2);
  EXPECT_EQ(lines(choice.err), 1);
  EXPECT_THAT(choice.err, HasSubstr("{mjcf,urdf,world,mechanism}"));
}

TEST_F(Help, NamesTheVersionAndWhatIsCompiledIn)
{
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  const std::string first = outcome.out.substr(0, outcome.out.find('\n'));
  EXPECT_THAT(first, StartsWith("fivebar ")) << outcome.out;
  for (const char * feature :
       {"MuJoCo", "live view", "cairo", "Comedi", "NLopt", "AVX2 kernel", "ROS 2"})
  {
    EXPECT_TRUE(
      std::regex_search(outcome.out, std::regex(std::string("\n  ") + feature + ": (yes|no)")))
      << feature;
  }
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("\n  compiler: \\w+ [0-9]")));
  EXPECT_TRUE(std::regex_search(outcome.out, std::regex("\n  build type: ")));
}

TEST_F(Help, FilesHaveThePlainPackageVersionSoThatTheyAreReproducible)
{
  ASSERT_EQ(run({"plan", config + "curves/b.yaml", "--out", "b.csv", "--quiet"}).exit_code, 0);
  const std::string plan = content_of(path("b.csv"));
  EXPECT_TRUE(
    std::regex_search(plan.substr(0, 500), std::regex("version: \"?" FIVEBAR_VERSION "\"?[\n,}]")))
    << plan.substr(0, 500);
}

}  // namespace
}  // namespace fivebar_control::test
