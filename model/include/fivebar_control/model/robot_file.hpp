// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/model/robot_model.hpp"
#include "fivebar_control/support/yaml_map.hpp"

namespace fivebar_control
{

/// Reads and validates a robot file (format: config/robot.yaml, docs/model.md). Throws InputError
/// with file, line, column, key and what was expected.
RobotModel load_robot(const std::string & path);

/// The same from text; `name` stands for the file in messages.
RobotModel parse_robot(const std::string & text, const std::string & name);

}  // namespace fivebar_control
