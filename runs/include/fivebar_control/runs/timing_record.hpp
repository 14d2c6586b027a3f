// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fivebar_control
{

/// How punctual the loop of a run was, from the JSON of `fivebar run --json`.
struct TimingRecord
{
  std::string file;
  std::string log;     ///< the log that the run wrote, as it was named then
  bool paced = false;  ///< false: the run did not wait for the clock, its times mean nothing
  /// Wake-up delay: upper end of each bin in ns, and how many cycles fell into it.
  std::vector<std::pair<double, std::int64_t>> wake_up;
  double median_ns = 0.0, p99_ns = 0.0, largest_ns = 0.0;
  std::int64_t late_cycles = 0;
  std::int64_t skipped_periods = 0;
};

/// Throws InputError for a file that is no such JSON.
TimingRecord load_timing_record(const std::string & path);
TimingRecord parse_timing_record(const std::string & text, const std::string & name);

}  // namespace fivebar_control
