// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "fivebar_control/commission/bench.hpp"
#include "fivebar_control/daemon/realtime.hpp"

namespace fivebar_control::cli
{

// Options of several commands, each declared once.

CLI::Option * add_priority(CLI::App & command, RealtimeOptions & realtime);
CLI::Option * add_calibration(CLI::App & command, std::string & file);
/// `text` says what the command does with it; the default is added.
CLI::Option * add_stamp(CLI::App & command, std::string & file, const std::string & text);

/// What `commission` and `check-hardware` share.
struct BenchArguments
{
  std::string hardware, robot, calibration, plant, stamp, json;
  commission::Settings settings;
  RealtimeOptions realtime;
};

/// Returns --hardware.
CLI::Option * add_bench_options(
  CLI::App & command, BenchArguments & arguments, const std::string & stamp_text);

}  // namespace fivebar_control::cli
