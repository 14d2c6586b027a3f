// SPDX-License-Identifier: Apache-2.0
#include "fivebar_control/runs/timing_record.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "fivebar_control/support/errors.hpp"
#include "fivebar_control/support/text_file.hpp"

namespace fivebar_control
{

TimingRecord load_timing_record(const std::string & path)
{
  return parse_timing_record(read_text_file(path, 10000000), path);
}

TimingRecord parse_timing_record(const std::string & text, const std::string & name)
{
  TimingRecord record;
  record.file = name;
  try
  {
    const nlohmann::json json = nlohmann::json::parse(text);
    if (json.at("content") != "run" || json.at("log").is_null())
    {
      throw InputError(fmt::format(
        "{}: expected the JSON of a run that wrote a log ('fivebar run --log F --json F')", name));
    }
    record.log = json.at("log").at("path");
    const nlohmann::json & timing = json.at("timing");
    record.paced = timing.at("paced");
    record.late_cycles = timing.at("late_cycles");
    record.skipped_periods = timing.at("skipped_periods");
    const nlohmann::json & wake_up = timing.at("wake_up_ns");
    record.median_ns = wake_up.at("p50");
    record.p99_ns = wake_up.at("p99");
    record.largest_ns = wake_up.at("max");
    record.wake_up = wake_up.at("bins").get<std::vector<std::pair<double, std::int64_t>>>();
  }
  catch (const nlohmann::json::exception & error)
  {
    throw InputError(
      fmt::format("{}: not the JSON of 'fivebar run --json': {}", name, error.what()));
  }
  return record;
}

}  // namespace fivebar_control
