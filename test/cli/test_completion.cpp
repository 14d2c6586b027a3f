// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "cli/command_line.hpp"

namespace fivebar_control::test
{
namespace
{

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;

class Completion : public CommandLineTest
{
protected:
  std::string script(const std::string & shell) const
  {
    const Outcome outcome = run({"completion", shell, "--out", shell});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return content_of(path(shell));
  }

  /// What bash offers for the last of these words.
  std::vector<std::string> bash(const std::string & words) const
  {
    script("bash");
    const Outcome outcome = run_program(
      "bash", {"--norc", "-c",
               "source ./bash; COMP_WORDS=(" + words +
                 "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); $(complete -p fivebar | sed 's/.*-F "
                 "\\([^ ]*\\).*/\\1/'); printf '%s\\n' \"${COMPREPLY[@]}\""});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    std::vector<std::string> offers;
    std::istringstream stream(outcome.out);
    for (std::string line; std::getline(stream, line);)
    {
      if (!line.empty())
      {
        offers.push_back(line);
      }
    }
    return offers;
  }
};

TEST_F(Completion, OffersCommandsInBash)
{
  EXPECT_THAT(bash("fivebar ''"), IsSupersetOf(commands()));
  EXPECT_THAT(bash("fivebar comp"), ElementsAre("compare"));
  EXPECT_THAT(bash("fivebar --v"), ElementsAre("--version"));
}

TEST_F(Completion, OffersOptionsOfTheCommandInBash)
{
  EXPECT_THAT(bash("fivebar plan --s"), UnorderedElementsAre("--solver", "--soft-voltage"));
  EXPECT_THAT(bash("fivebar describe --v"), ElementsAre());
}

TEST_F(Completion, OffersTheValuesOfAnOptionInBash)
{
  EXPECT_THAT(
    bash("fivebar describe --format ''"),
    UnorderedElementsAre("mjcf", "urdf", "world", "mechanism"));
  EXPECT_THAT(bash("fivebar describe --format = u"), ElementsAre("urdf"));
  EXPECT_THAT(bash("fivebar run x.csv --hardware se"), ElementsAre("serial:"));
  EXPECT_THAT(bash("fivebar run x.csv --rate ''"), ElementsAre());
}

TEST_F(Completion, OffersFilesOfTheRightKindInBash)
{
  write("robot.yaml", "");
  write("plan.csv", "");
  write("with space.csv", "");
  std::filesystem::create_directory(path("folder"));
  EXPECT_THAT(bash("fivebar plan --robot ''"), UnorderedElementsAre("robot.yaml", "folder"));
  EXPECT_THAT(bash("fivebar run ''"), UnorderedElementsAre("plan.csv", "with space.csv", "folder"));
  EXPECT_THAT(bash("fivebar run --fast pl"), ElementsAre("plan.csv"));
  EXPECT_THAT(bash("fivebar plan --json pl"), ElementsAre("plan.csv"));
  EXPECT_THAT(bash("fivebar gradient x.yaml --at ''"), IsSupersetOf({"zero", "plan.csv"}));
  EXPECT_THAT(bash("fivebar init ''"), ElementsAre("folder"));
}

TEST_F(Completion, HasEveryOptionOfEveryCommandInEveryShell)
{
  const std::string zsh = script("zsh");
  const std::string fish = script("fish");
  for (const std::string & command : commands())
  {
    const std::vector<std::string> offers = bash("fivebar " + command + " -");
    const std::string case_begin = "\n    " + command + ")\n";
    ASSERT_THAT(zsh, HasSubstr(case_begin));
    const std::size_t begin = zsh.find(case_begin);
    const std::string specifications = zsh.substr(begin, zsh.find(";;", begin) - begin);
    for (const std::string & option : options(command))
    {
      EXPECT_THAT(offers, Contains(option)) << command;
      EXPECT_THAT(specifications, HasSubstr(option + "[")) << command;
      EXPECT_TRUE(std::regex_search(
        fish,
        std::regex("seen_subcommand_from " + command + "'[^\n]* -l " + option.substr(2) + " ")))
        << command << " " << option;
    }
  }
}

TEST_F(Completion, IsValidInTheShellsThatAreInstalled)
{
  for (const char * shell : {"bash", "zsh", "fish"})
  {
    script(shell);
    if (has(shell))
    {
      const Outcome outcome = run_program(shell, {"-n", shell});
      EXPECT_EQ(outcome.exit_code, 0) << shell << ": " << outcome.err;
    }
  }
}

TEST_F(Completion, OffersTheSameInFish)
{
  if (!has("fish"))
  {
    GTEST_SKIP() << "fish is not installed";
  }
  script("fish");
  write("robot.yaml", "");
  const auto offers = [&](const std::string & line) {
    return run_program("fish", {"--no-config", "-c", "source ./fish; complete -C '" + line + "'"})
      .out;
  };
  EXPECT_THAT(offers("fivebar comp"), HasSubstr("compare\t"));
  EXPECT_THAT(offers("fivebar describe --format "), HasSubstr("urdf\t"));
  EXPECT_THAT(offers("fivebar plan --robot "), HasSubstr("robot.yaml"));
  EXPECT_THAT(offers("fivebar plan --so"), HasSubstr("--solver\t"));
  EXPECT_THAT(offers("fivebar describe --v"), Not(HasSubstr("--voltage")));
}

}  // namespace
}  // namespace fivebar_control::test
