// SPDX-License-Identifier: Apache-2.0
#include "commissioned.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "bench_hardware.hpp"
#include "fivebar_control/commission/stamp.hpp"
#include "fivebar_control/support/message.hpp"
#include "shared_options.hpp"
#include "terminal.hpp"

namespace fivebar_control::cli
{

Commissioning commissioning_of(
  const std::string & hardware, const std::string & calibration, const std::string & stamp,
  const RobotModel & robot, bool ignored)
{
  Commissioning result;
  if (device_kind(hardware).empty())
  {
    return result;
  }
  const Calibration in_use = calibration_for(hardware, calibration, robot);
  result.stamp = stamp.empty() ? commission::default_stamp(hardware) : stamp;
  result.objection = commission::objection_to_driving(result.stamp, hardware, robot, in_use);
  if (result.objection.empty())
  {
    result.state = "commissioned";
    return result;
  }
  result.state = ignored ? "ignored" : "missing";
  result.may_drive = ignored;
  const std::string text =
    ignored
      ? fmt::format(
          "{}\nfivebar: these motors are driven WITHOUT a commissioning: {}.\n"
          "fivebar: a wrong sign, an exchanged cable or wrong counts were not ruled out. Keep "
          "a hand on the emergency stop.\n",
          coloured(stderr, Colour::red, "fivebar: !!! UNCOMMISSIONED !!!"), result.objection)
      : fmt::format(
          "{} not started: {}. Commission the robot first ('fivebar commission --hardware "
          "{}'), or say --uncommissioned.\n",
          coloured(stderr, Colour::red, "fivebar:"), result.objection, hardware);
  say("{}", text);
  return result;
}

void add_stamp_options(CLI::App & command, std::string & stamp, bool & uncommissioned)
{
  add_stamp(command, stamp, "Stamp of the commissioning that real motors need");
  command.add_flag(
    "--uncommissioned", uncommissioned,
    "Drive real motors although nobody has commissioned them, or not with these files");
}

}  // namespace fivebar_control::cli
