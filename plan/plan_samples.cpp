// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/plan/plan_samples.hpp"

#include <fmt/format.h>

#include <iterator>

namespace fivebar_control
{

const std::vector<std::string> & sample_columns()
{
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    const PlanSamples samples;
    visit_columns(samples, [&all](const char * name, const auto &) { all.emplace_back(name); });
    return all;
  }();
  return names;
}

std::vector<std::string> columns_of(const PlanSamples & samples)
{
  std::vector<std::string> names = sample_columns();
  if (samples.has_learned())
  {
    visit_learned_columns(
      samples, [&names](const char * name, const auto &) { names.emplace_back(name); });
  }
  return names;
}

void write_samples(const PlanSamples & s, SealedWriter & writer)
{
  fmt::memory_buffer rows;
  for (std::size_t i = 0; i < s.size(); ++i)
  {
    fmt::format_to(
      std::back_inserter(rows), "{},{},{},{},{},{},{},{},{}", s.t[i], s.u1[i], s.u4[i], s.phi1[i],
      s.phi4[i], s.dphi1[i], s.dphi4[i], s.x[i], s.y[i]);
    if (s.has_learned())
    {
      fmt::format_to(
        std::back_inserter(rows), ",{},{},{},{}", s.learned1[i], s.learned4[i], s.lead1[i],
        s.lead4[i]);
    }
    rows.push_back('\n');
    if (rows.size() > 60000 || i + 1 == s.size())
    {
      writer.write_rows({rows.data(), rows.size()});
      rows.clear();
    }
  }
}

SealedTable read_samples(
  const std::string & text, const std::string & name, const SealedKind & kind,
  PlanSamples & samples)
{
  SealedTable table = parse_sealed_table(text, name, kind, sample_columns());
  require_increasing_time(table.rows, name);
  visit_columns(samples, [&table](const char * column_name, std::vector<double> & values) {
    values = take_column(table.rows, column_name);
  });
  if (has_column(table.rows, "learned1"))
  {
    visit_learned_columns(
      samples, [&table](const char * column_name, std::vector<double> & values) {
        values = take_column(table.rows, column_name);
      });
  }
  return table;
}

}  // namespace fivebar_control
