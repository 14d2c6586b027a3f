// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fivebar_control
{

/// Path of a file of config/, such as "robot.yaml". Looks in $FIVEBAR_CONFIG_DIR, ./config, config/
/// beside the program or plugin that this code is part of (the build tree has a link there), and
/// share/fivebar_control/config beside one of the folders above it, in this order. Throws
/// InputError that names the places if it is in none of them.
std::string find_config(const std::string & relative);

/// A sentence for the user if `path`, which find_config() gave for `relative`, lies in ./config and
/// is not the program's own file as well: whoever wrote that folder decides what is done. Empty
/// otherwise.
std::string taken_from_here(const std::string & path, const std::string & relative);

/// What help says about options for such files.
inline constexpr const char * robot_text = "Robot file (default: robot.yaml of config/)";
inline constexpr const char * controller_text =
  "Gains and guard windows (default: controller.yaml of config/)";

/// `path` if one was given, else that file of config/.
std::string given_or_config(const std::string & path, const std::string & relative);

}  // namespace fivebar_control
