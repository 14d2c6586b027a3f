// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "file_kind.hpp"
#include "fivebar_control/controller/settings.hpp"
#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/plan/plan.hpp"

namespace fivebar_control::cli
{

/// What is known about one file.
struct FileFinding
{
  std::string file;
  std::optional<FileKind> kind;
  std::string summary;  ///< what it is: "plan of curve B, 1001 nodes, 5 s"
  std::string fits;     ///< what it was compared with; empty: nothing
  std::string error;    ///< what is wrong with it, with its name; empty: it is good
};

/// What files are compared with.
struct CheckCompany
{
  std::optional<std::pair<std::string, RobotModel>> robot;  ///< file and content
  std::optional<ControllerSettings> controller;
  std::vector<std::pair<std::string, Plan>> plans;
  bool plan_is_required = false;  ///< a log that is a run of none of the plans is an error
};

/// Reads every file as the commands do. Plans, logs, responses, curves and hardware files are
/// compared with the robot, which is the only one among the files unless the company has one; logs
/// with the plans. Plans are judged as by `fivebar run`: with the controller file, and where there
/// is no robot or controller file with those that it would take.
std::vector<FileFinding> check_files(const std::vector<std::string> & files, CheckCompany company);

}  // namespace fivebar_control::cli
