// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <pty.h>

#include <cerrno>

#include "cli/command_line.hpp"

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;
using testing::Not;

constexpr const char * escape = "\033[";

class Terminal : public CommandLineTest
{
protected:
  void SetUp() override
  {
    CommandLineTest::SetUp();
    for (const char * name : {"NO_COLOR", "CLICOLOR_FORCE"})
    {
      unsetenv(name);
    }
  }

  /// What the program writes where all of its output goes to a terminal.
  std::string on_terminal(
    const std::vector<std::string> & arguments,
    const std::vector<std::pair<std::string, std::string>> & environment) const
  {
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0)
    {
      for (const auto & [name, value] : environment)
      {
        setenv(name.c_str(), value.c_str(), 1);
      }
      std::vector<char *> pointers = {const_cast<char *>("fivebar")};
      for (const std::string & argument : arguments)
      {
        pointers.push_back(const_cast<char *>(argument.c_str()));
      }
      pointers.push_back(nullptr);
      execv(FIVEBAR_PROGRAM, pointers.data());
      _exit(127);
    }
    std::string text;
    char buffer[4096];
    for (ssize_t count; (count = read(terminal, buffer, sizeof buffer)) > 0 || errno == EINTR;)
    {
      text.append(buffer, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
    close(terminal);
    waitpid(child, nullptr, 0);
    return text;
  }
};

const std::vector<std::string> failing{"describe", "--format", "mjcf", "--out", "/nowhere/x"};

TEST_F(Terminal, GetsColours)
{
  EXPECT_THAT(on_terminal(failing, {{"TERM", "xterm"}}), HasSubstr("\033[31mfivebar:\033[0m "));
}

TEST_F(Terminal, GetsNoneIfTheUserObjectsOrItHasNone)
{
  EXPECT_THAT(on_terminal(failing, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}), Not(HasSubstr(escape)));
  EXPECT_THAT(on_terminal(failing, {{"TERM", "dumb"}}), Not(HasSubstr(escape)));
  EXPECT_THAT(on_terminal(failing, {{"TERM", "xterm"}, {"NO_COLOR", ""}}), HasSubstr(escape))
    << "an empty NO_COLOR means nothing";
}

TEST_F(Terminal, IsWhatColoursAreForUnlessTheyAreForced)
{
  EXPECT_THAT(run(failing).err, Not(HasSubstr(escape)));
  setenv("CLICOLOR_FORCE", "1", 1);
  EXPECT_THAT(run(failing).err, HasSubstr("\033[31mfivebar:\033[0m "));
  setenv("CLICOLOR_FORCE", "0", 1);
  EXPECT_THAT(run(failing).err, Not(HasSubstr(escape)));
  setenv("CLICOLOR_FORCE", "1", 1);
  setenv("NO_COLOR", "1", 1);
  EXPECT_THAT(run(failing).err, Not(HasSubstr(escape)));
  unsetenv("NO_COLOR");
  unsetenv("CLICOLOR_FORCE");
}

TEST_F(Terminal, GetsAProgressLineThatIsRewrittenOnlyIfItCan)
{
  const std::vector<std::string> plan{
    "plan", config + "curves/b.yaml", "--out", path("b.plan.csv")};
  EXPECT_THAT(on_terminal(plan, {{"TERM", "xterm"}}), HasSubstr("\r[###"));
  const std::string dumb = on_terminal(plan, {{"TERM", "dumb"}});
  EXPECT_THAT(dumb, Not(HasSubstr(escape)));
  EXPECT_THAT(dumb, HasSubstr("stage 1 iteration   1"));
}

}  // namespace
}  // namespace fivebar_control::test
