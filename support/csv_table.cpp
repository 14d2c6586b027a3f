// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/support/csv_table.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

std::string_view trim(std::string_view text)
{
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos)
  {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Takes the next line off `rest`; the line has no newline.
std::string_view take_line(std::string_view & rest)
{
  const auto end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

/// Calls `use(cell, column_number)` for each comma-separated cell.
template <class Use>
void for_each_cell(std::string_view line, Use use)
{
  std::size_t start = 0;
  for (std::size_t index = 0;; ++index)
  {
    const auto comma = line.find(',', start);
    use(
      trim(line.substr(start, comma == std::string_view::npos ? comma : comma - start)), index,
      static_cast<int>(start) + 1);
    if (comma == std::string_view::npos)
    {
      return;
    }
    start = comma + 1;
  }
}

void read_names(
  CsvTable & table, std::string_view line, const FileLocation & where,
  const std::vector<std::string> & required)
{
  for_each_cell(line, [&](std::string_view cell, std::size_t, int) {
    const std::string name(
      cell.size() > 1 && cell.front() == '"' ? cell.substr(1, cell.size() - 2) : cell);
    if (std::find(table.columns.begin(), table.columns.end(), name) != table.columns.end())
    {
      throw InputError(where, fmt::format("column '{}' appears twice", name));
    }
    table.columns.push_back(name);
  });
  for (const std::string & name : required)
  {
    if (std::find(table.columns.begin(), table.columns.end(), name) == table.columns.end())
    {
      throw InputError(
        where, fmt::format(
                 "column '{}' is missing, expected a line of column names with {}", name,
                 fmt::join(required, ",")));
    }
  }
  table.values.resize(table.columns.size());
}

void read_row(CsvTable & table, std::string_view line, const std::string & file, int line_number)
{
  std::size_t count = 0;
  for_each_cell(line, [&](std::string_view cell, std::size_t index, int position) {
    ++count;
    if (index >= table.columns.size())
    {
      return;
    }
    double value = 0.0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value))
    {
      throw InputError(
        {file, line_number, position}, fmt::format(
                                         "column '{}': expected a finite number, got '{}'",
                                         table.columns[index], cell.substr(0, 40)));
    }
    table.values[index].push_back(value);
  });
  if (count != table.columns.size())
  {
    throw InputError(
      {file, line_number}, fmt::format("expected {} values, got {}", table.columns.size(), count));
  }
  table.lines.push_back(line_number);
}

std::size_t index_of(const CsvTable & table, std::string_view name)
{
  const auto found = std::find(table.columns.begin(), table.columns.end(), name);
  if (found == table.columns.end())
  {
    throw InternalError(fmt::format("no column '{}'", name));
  }
  return static_cast<std::size_t>(found - table.columns.begin());
}

}  // namespace

bool has_column(const CsvTable & table, std::string_view name)
{
  return std::find(table.columns.begin(), table.columns.end(), name) != table.columns.end();
}

CsvTable parse_csv(
  std::string_view text, const std::string & file, const std::vector<std::string> & required)
{
  CsvTable table;
  std::string_view rest = text;
  int line_number = 0;
  while (!rest.empty())
  {
    const std::string_view line = trim(take_line(rest));
    ++line_number;
    if (line.empty() || line.front() == '#')
    {
      continue;
    }
    if (table.columns.empty())
    {
      read_names(table, line, {file, line_number}, required);
      continue;
    }
    read_row(table, line, file, line_number);
  }
  if (table.columns.empty())
  {
    throw InputError(
      {file}, fmt::format("no line of column names, expected {}", fmt::join(required, ",")));
  }
  return table;
}

const std::vector<double> & column(const CsvTable & table, std::string_view name)
{
  return table.values[index_of(table, name)];
}

std::vector<double> take_column(CsvTable & table, std::string_view name)
{
  return std::move(table.values[index_of(table, name)]);
}

void require_increasing_time(const CsvTable & table, const std::string & file)
{
  const std::vector<double> & time = column(table, "t");
  for (std::size_t row = 1; row < time.size(); ++row)
  {
    if (!(time[row] > time[row - 1]))
    {
      throw InputError(
        {file, table.lines[row]},
        fmt::format("column 't': time must increase, got {} after {}", time[row], time[row - 1]));
    }
  }
}

}  // namespace fivebar_control
