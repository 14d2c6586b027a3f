// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <hardware_interface/hardware_info.hpp>
#include <string>

#include "fivebar_control/hardware/backends/backend.hpp"
#include "fivebar_control/model/robot_model.hpp"

namespace fivebar_control
{

/// What the parameters of the <hardware> tag say about the component itself.
struct SystemSettings
{
  std::string backend;
  std::string motor_board;             ///< name of the <gpio>
  std::string stamp;                   ///< file; empty: that of the state folder
  bool uncommissioned = false;         ///< drive real motors without a stamp
  int tolerated_errors = 0;            ///< failed reads or writes in a row
  std::int64_t period_ns = 0;          ///< between two reads
  std::int64_t effort_timeout_ns = 0;  ///< how long links may move under efforts that do not change
};

/// A parameter of the <hardware> tag; one that is empty counts as not given.
std::string tag_parameter(
  const hardware_interface::HardwareInfo & info, const std::string & name,
  const std::string & otherwise);

// All of these throw InputError with the tag and what was expected.
void require_joints(const hardware_interface::HardwareInfo & info);
SystemSettings system_settings(const hardware_interface::HardwareInfo & info);
BackendChoice backend_choice(
  const hardware_interface::HardwareInfo & info, const SystemSettings & settings,
  const RobotModel & robot);

/// Why these motors may not be driven, as a sentence; empty if they may: simulated ones, and real
/// ones with the stamp of a commissioning.
std::string objection_to(
  const SystemSettings & settings, const BackendChoice & choice, const RobotModel & robot);

}  // namespace fivebar_control
