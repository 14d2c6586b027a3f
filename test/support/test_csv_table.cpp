// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "fivebar_control/support/csv_table.hpp"
#include "fivebar_control/support/errors.hpp"

using fivebar_control::column;
using fivebar_control::CsvTable;
using fivebar_control::InputError;
using fivebar_control::parse_csv;
using fivebar_control::require_increasing_time;

namespace
{

std::string error_of(const std::string & text)
{
  try
  {
    require_increasing_time(parse_csv(text, "in.csv", {"t", "u1"}), "in.csv");
  }
  catch (const InputError & error)
  {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST(CsvTable, ReadsNamedColumnsInAnyOrderAndSkipsComments)
{
  const CsvTable table = parse_csv("# a: 1\n# b\nu1, t\n1.5,0\n# later\n-2e-3,1\r\n\n", "f", {"t"});
  EXPECT_EQ(table.rows(), 2u);
  EXPECT_EQ(column(table, "u1")[1], -2e-3);
  EXPECT_EQ(table.lines[1], 6);
}

TEST(CsvTable, NamesLineAndColumnOfABadValue)
{
  EXPECT_EQ(
    error_of("t,u1\n0,1\n1,abc\n"), "in.csv:3:3: column 'u1': expected a finite number, got 'abc'");
  EXPECT_EQ(
    error_of("t,u1\n0,nan\n"), "in.csv:2:3: column 'u1': expected a finite number, got 'nan'");
  EXPECT_EQ(error_of("t,u1\n0,\n"), "in.csv:2:3: column 'u1': expected a finite number, got ''");
}

TEST(CsvTable, RefusesRowsOfTheWrongLength)
{
  EXPECT_EQ(error_of("t,u1\n0,1\n1\n"), "in.csv:3: expected 2 values, got 1");
  EXPECT_EQ(error_of("t,u1\n0,1,2\n"), "in.csv:2: expected 2 values, got 3");
}

TEST(CsvTable, RefusesMissingAndRepeatedColumns)
{
  EXPECT_EQ(
    error_of("t,u2\n0,1\n"),
    "in.csv:1: column 'u1' is missing, expected a line of column names with t,u1");
  EXPECT_EQ(error_of("t,u1,t\n0,1,2\n"), "in.csv:1: column 't' appears twice");
  EXPECT_EQ(error_of("# only a comment\n"), "in.csv: no line of column names, expected t,u1");
}

TEST(CsvTable, RefusesTimeThatDoesNotIncrease)
{
  EXPECT_EQ(
    error_of("t,u1\n0,1\n0,1\n"), "in.csv:3: column 't': time must increase, got 0 after 0");
}
