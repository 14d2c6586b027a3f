// SPDX-License-Identifier: Apache-2.0
#include "voltage_file.hpp"

#include <fmt/core.h>

#include "fivebar_control/support/csv_table.hpp"
#include "fivebar_control/support/errors.hpp"

namespace fivebar_control::cli
{

VoltageHistory parse_voltages(const std::string & text, const std::string & name)
{
  CsvTable table = parse_csv(text, name, {"t", "u1", "u4"});
  if (table.rows() == 0)
  {
    throw InputError(fmt::format("{}: has no rows, expected voltages over time", name));
  }
  require_increasing_time(table, name);
  const std::vector<double> & u1 = column(table, "u1");
  const std::vector<double> & u4 = column(table, "u4");
  VoltageHistory history;
  history.time = column(table, "t");
  history.voltage.reserve(u1.size());
  for (std::size_t i = 0; i < u1.size(); ++i)
  {
    history.voltage.emplace_back(u1[i], u4[i]);
  }
  return history;
}

}  // namespace fivebar_control::cli
