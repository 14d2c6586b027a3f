// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fivebar_control/model/robot_model.hpp"

namespace fivebar_control
{

/// A robot as the text of a robot file that reads back to the last bit. The lines of `comment`
/// stand at its top, each behind '# '.
std::string robot_file_text(const RobotParameters & robot, const std::string & comment = {});

}  // namespace fivebar_control
