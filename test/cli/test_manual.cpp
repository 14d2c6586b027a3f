// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "cli/command_line.hpp"

namespace fivebar_control::test
{
namespace
{

using testing::HasSubstr;

class Manual : public CommandLineTest
{
protected:
  void SetUp() override
  {
    CommandLineTest::SetUp();
    ASSERT_EQ(run({"man", "--folder", "man1"}).exit_code, 0);
  }

  static std::string escaped(const std::string & text)
  {
    return std::regex_replace(text, std::regex("-"), "\\-");
  }
};

TEST_F(Manual, HasAPageForTheProgramAndOneForEachCommand)
{
  const std::string page = content_of(path("man1/fivebar.1"));
  EXPECT_EQ(run({"man"}).out, page);
  for (const std::string & command : commands())
  {
    EXPECT_THAT(page, HasSubstr("\\fBfivebar\\-" + escaped(command) + "\\fR(1)"));
    EXPECT_EQ(run({"man", command}).out, content_of(path("man1/fivebar-" + command + ".1")));
  }
}

TEST_F(Manual, HasEveryOptionOfEveryCommand)
{
  for (const std::string & command : commands())
  {
    const std::string page = content_of(path("man1/fivebar-" + command + ".1"));
    EXPECT_THAT(page, HasSubstr(".SH EXAMPLES\n")) << command;
    EXPECT_THAT(page, HasSubstr(".SH EXIT STATUS\n")) << command;
    const std::set<std::string> names = options(command);
    EXPECT_GE(names.size(), 2U) << command;
    for (const std::string & option : names)
    {
      EXPECT_THAT(page, HasSubstr("\\fB" + escaped(option) + "\\fR")) << command;
    }
  }
}

TEST_F(Manual, IsFreeOfWarnings)
{
  const bool groff = has("groff");
  const bool mandoc = has("mandoc");
  if (!groff && !mandoc)
  {
    GTEST_SKIP() << "neither groff nor mandoc is installed";
  }
  for (const auto & entry : std::filesystem::directory_iterator(path("man1")))
  {
    const std::string page = entry.path().string();
    if (groff)
    {
      const Outcome outcome = run_program("groff", {"-man", "-ww", "-Tutf8", "-z", page});
      EXPECT_EQ(outcome.exit_code, 0);
      EXPECT_EQ(outcome.err, "");
    }
    if (mandoc)
    {
      // Without a date the pages of equal sources are equal.
      const Outcome outcome = run_program(
        "sh", {"-c", "mandoc -T lint -W warning '" + page + "' 2>&1 | grep -v 'missing date'"});
      EXPECT_EQ(outcome.out, "");
    }
  }
}

}  // namespace
}  // namespace fivebar_control::test
