// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fivebar_control/daemon/web_options.hpp"

namespace fivebar_control
{

/// What the user asked of a studio.
struct StudioOptions
{
  WebOptions web;
  std::string folder = ".";  ///< files are below it, and commands run in it
  std::string program;       ///< path of fivebar, for the commands that the page asks for
  std::string robot;         ///< robot file; empty: that of config/
  std::string controller;    ///< controller file; empty: that of config/
  std::string hardware;      ///< motors to play on, as `fivebar run` names them; empty: none
  /// What `fivebar run` needs for these motors: "--calibration FILE", "--stamp FILE", "--homed".
  std::vector<std::string> hardware_options;
};

}  // namespace fivebar_control
