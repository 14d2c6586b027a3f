// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/sealed_table.hpp"
#include "fivebar_control/support/yaml_text.hpp"

namespace fivebar_control
{
namespace
{

using testing::HasSubstr;

constexpr SealedKind kind{"run log", "fivebar run --log", 2, 1000000};

std::string table_text(const SealedKind & of = kind)
{
  std::string text;
  SealedWriter writer(
    [&text](std::string_view some) { text.append(some); }, of,
    "curve: " + yaml_quoted("a \"b\"\n# c: \\") + "\n", {"t", "u1", "u4"});
  writer.write_rows("0,1,2\n1,3,4\n");
  writer.write_rows("2,5,6\n");
  writer.close("ended: finished\n");
  return text;
}

std::string error_of(const std::string & text)
{
  try
  {
    parse_sealed_table(text, "f.csv", kind, {"t", "u1", "u4"});
  }
  catch (const InputError & error)
  {
    return error.what();
  }
  return "no error";
}

std::string replaced(std::string text, const std::string & what, const std::string & by)
{
  return text.replace(text.find(what), what.size(), by);
}

TEST(SealedTable, ReadsBackWhatWasWritten)
{
  const SealedTable table = parse_sealed_table(table_text(), "f.csv", kind, {"t", "u4"});
  EXPECT_EQ(table.schema, 2);
  EXPECT_EQ(table.header.text("curve"), "a \"b\"\n# c: \\");
  EXPECT_EQ(table.ending.text("ended"), "finished");
  EXPECT_THAT(column(table.rows, "u4"), testing::ElementsAre(2.0, 4.0, 6.0));
}

TEST(SealedTable, SaysWhatWasDoneToIt)
{
  const std::string text = table_text();
  EXPECT_EQ(error_of(text), "no error");
  EXPECT_THAT(error_of(replaced(text, "t,u1,u4", "t,u4,u1")), HasSubstr("run log was changed"));
  EXPECT_THAT(error_of(replaced(text, "1,3,4", "1,3,5")), HasSubstr("run log was changed"));
  EXPECT_THAT(error_of(replaced(text, "curve: \"a", "curve: \"b")), HasSubstr("was changed"));
  EXPECT_THAT(error_of(replaced(text, "2,5,6\n", "")), HasSubstr("is cut: 2 of 3 data rows"));
  EXPECT_THAT(error_of(replaced(text, "2,5,6\n", "2,5,6\n3,7,8\n")), HasSubstr("was changed"));
  EXPECT_THAT(error_of(text.substr(0, text.find("# ended"))), HasSubstr("is cut: it ends after 3"));
  EXPECT_THAT(error_of(text.substr(0, text.find("t,u1"))), HasSubstr("is cut: it ends before"));
  EXPECT_THAT(error_of(replaced(text, "schema: 2", "schema: 3")), HasSubstr("reads up to 2"));
  EXPECT_THAT(error_of("t,u1,u4\n0,1,2\n"), HasSubstr("f.csv:1: not a run log"));
  EXPECT_THAT(
    error_of(table_text({"plan", "fivebar plan", 2, 1000})), HasSubstr("a plan, not a run log"));
}

TEST(SealedTable, TellsItsContentWithoutBeingRead)
{
  EXPECT_EQ(sealed_content(table_text()), "run log");
  EXPECT_EQ(sealed_content("# schema: 1\n# robot: {}\n"), "plan") << "of the first schema";
  EXPECT_EQ(sealed_content("schema: 1\n"), "");
  EXPECT_EQ(sealed_content(""), "");
}

}  // namespace
}  // namespace fivebar_control
