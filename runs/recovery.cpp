// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/runs/recovery.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "fivebar_control/runs/run_log.hpp"
#include "fivebar_control/runs/run_record.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control
{
namespace
{

/// Numbers and nothing else, as many as there are columns.
bool is_row(std::string_view line, std::size_t columns)
{
  const auto commas = static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
  return commas + 1 == columns && !line.empty() && line.front() != ',' && line.back() != ',' &&
         line.find(",,") == std::string_view::npos &&
         line.find_first_not_of("0123456789+-.e,") == std::string_view::npos;
}

/// Takes a line off the front; without its end, if it has one at all.
bool take_line(std::string_view & rest, std::string_view & line)
{
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos)
  {
    return false;
  }
  line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return true;
}

}  // namespace

RecoveredLog recover_run_log(const std::string & text, const std::string & name)
{
  std::string_view rest = text;
  std::string_view line;
  std::string header;
  bool is_log = false;
  while (rest.starts_with('#') && take_line(rest, line))
  {
    const std::string_view entry = line.substr(std::min<std::size_t>(2, line.size()));
    is_log = is_log || entry == fmt::format("content: {}", run_log_kind.content);
    if (!entry.starts_with("schema:") && !entry.starts_with("content:"))
    {
      header.append(entry).push_back('\n');
    }
  }
  if (is_log)
  {
    take_line(rest, line);
  }
  // Simulated robots also tell where P truly was.
  const bool with_truth = line == fmt::format("{}", fmt::join(run_column_names_with_truth(), ","));
  const std::vector<std::string> & names =
    with_truth ? run_column_names_with_truth() : run_column_names();
  if (!is_log || line != fmt::format("{}", fmt::join(names, ",")))
  {
    throw InputError(
      {name}, fmt::format(
                "this is not what is left of a run log: expected the header that '{}' writes",
                run_log_kind.writer));
  }
  RecoveredLog recovered;
  SealedWriter table(
    [&recovered](std::string_view part) { recovered.text.append(part); }, run_log_kind, header,
    names);
  const std::string_view rows = rest;
  while (take_line(rest, line) && is_row(line, names.size()))
  {
    ++recovered.rows;
    recovered.lost_bytes = rest.size();
  }
  if (recovered.rows == 0)
  {
    throw InputError({name}, "there is no whole row in it: the run had not begun");
  }
  table.write_rows(rows.substr(0, rows.size() - recovered.lost_bytes));
  table.close("ended: unknown\nreason: none\nlost_rows: 0\n");
  parse_run_record(recovered.text, name);  // throws if it is no log after all
  return recovered;
}

}  // namespace fivebar_control
