// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fivebar_control
{

/// A numeric CSV table with a line of column names, after any number of '#' comment lines.
struct CsvTable
{
  std::vector<std::string> columns;         ///< names
  std::vector<std::vector<double>> values;  ///< values[column][row]
  std::vector<int> lines;                   ///< line number in the file of each row, from 1

  std::size_t rows() const { return lines.size(); }
};

/// Parses `text`; `file` is used in messages. `required` columns must be there (in any order, other
/// columns are kept). Throws InputError with line and column for anything that is not a finite
/// number or a row of the wrong length.
CsvTable parse_csv(
  std::string_view text, const std::string & file, const std::vector<std::string> & required);

bool has_column(const CsvTable & table, std::string_view name);
/// A column that is known to be there.
const std::vector<double> & column(const CsvTable & table, std::string_view name);
std::vector<double> take_column(CsvTable & table, std::string_view name);

/// Throws InputError unless the column "t" is strictly increasing.
void require_increasing_time(const CsvTable & table, const std::string & file);

}  // namespace fivebar_control
